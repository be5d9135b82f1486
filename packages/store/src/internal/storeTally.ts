/** What has happened in a store since it was opened. Counting costs a few additions a call, whatever the messages. */
import type { StoreError } from "../StoreError.ts"
import { SyncTimes } from "./syncTimes.ts"

/** Upper bounds of the classes of flush times in milliseconds; the last class has none. */
export const FLUSH_BOUNDS_MS: ReadonlyArray<number> = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

const NS_PER_MS = 1_000_000

export class StoreTally {
  putMessageCount = 0
  putBytes = 0
  getMessageCount = 0
  getBytes = 0
  /** Calls that were refused, by the tag of the reason. */
  readonly refusalCounts: Map<string, number> = new Map()
  /** Syncs by their time: one count for each bound, one for those beyond. */
  readonly flushCounts: Array<number> = Array.from({ length: FLUSH_BOUNDS_MS.length + 1 }, () => 0)
  flushCount = 0
  flushSumMs = 0
  flushMinMs = 0
  flushMaxMs = 0
  /** Those since they were cleared last, more finely. */
  readonly syncTimes: SyncTimes = new SyncTimes()
  #syncStartNs = 0

  onPut(count: number, bytes: number): void {
    this.putMessageCount += count
    this.putBytes += bytes
  }

  onGet(count: number, bytes: number): void {
    this.getMessageCount += count
    this.getBytes += bytes
  }

  /** Counts a refusal and gives it back. */
  refused(error: StoreError): StoreError {
    const { _tag } = error.reason
    this.refusalCounts.set(_tag, (this.refusalCounts.get(_tag) ?? 0) + 1)
    return error
  }

  /** Syncs of a store run one at a time. */
  onSyncStart(nowNs: number): void {
    this.#syncStartNs = nowNs
  }

  onSyncEnd(nowNs: number): void {
    const ns = Math.max(0, nowNs - this.#syncStartNs)
    this.syncTimes.add(ns)
    const ms = ns / NS_PER_MS
    const place = FLUSH_BOUNDS_MS.findIndex((bound) => ms <= bound)
    this.flushCounts[place < 0 ? FLUSH_BOUNDS_MS.length : place]!++
    this.flushMinMs = this.flushCount === 0 ? ms : Math.min(this.flushMinMs, ms)
    this.flushMaxMs = Math.max(this.flushMaxMs, ms)
    this.flushSumMs += ms
    this.flushCount++
  }
}
