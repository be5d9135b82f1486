/**
 * Writes the counters of an open store, once a second, out of what is counted in any case: a message costs nothing more.
 * One writer; whoever reads them reads a second's figures, or those of two seconds and finds the heartbeat changed.
 */
import type { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { assert } from "@millrace/core/kernel/memory/Assert"
import type { Region } from "@millrace/core/kernel/memory/Region"
import * as CountersFileDescriptor from "./CountersFileDescriptor.ts"

const NS_PER_MS = 1_000_000
export const INTERVAL_MS = 1000

/** What is counted. */
export interface Counted {
  readonly putMessageCount: number
  readonly putBytes: number
  readonly getMessageCount: number
  readonly getBytes: number
  readonly refusalCount: number
  readonly maxPosition: number
  readonly committedPosition: number
  readonly flushedPosition: number
  readonly dispatchedPosition: number
  readonly syncCount: number
  readonly syncTimeNs: number
  readonly waitingReaderCount: number
  readonly isWriteable: boolean
}

/** How long syncs took. */
export interface SyncTimes {
  readonly count: number
  readonly maxNs: number
  /** The time that a part of the syncs, from 0 to 1, took at most; 0 where there were none. */
  quantileNs(part: number): number
  clear(): void
}

export interface StoreCountersParts {
  /** `FILE_LENGTH` bytes of zeros. */
  readonly region: Region
  readonly pid: number
  readonly epochMs: () => number
  readonly counted: () => Counted
  /** The syncs since the counters were written last. */
  readonly syncTimes: SyncTimes
}

export class StoreCounters {
  readonly #parts: StoreCountersParts
  readonly #counters = new Map<number, AtomicCounter>()
  #nextNs = 0

  constructor(parts: StoreCountersParts) {
    this.#parts = parts
    const { epochMs, pid, region } = parts
    assert(region.length === CountersFileDescriptor.FILE_LENGTH, "the region is not that of a counters file")
    const metadataLength = CountersFileDescriptor.LABELS.length * CountersDescriptor.METADATA_RECORD_LENGTH
    const manager = new CountersManager(region.buffer(0, metadataLength), region.buffer(metadataLength), epochMs)
    for (const [typeId, label] of CountersFileDescriptor.LABELS) {
      this.#counters.set(typeId, manager.newCounter({ typeId, label })!)
    }
    this.#set(CountersFileDescriptor.PID, pid)
    this.#set(CountersFileDescriptor.OPENED, epochMs())
    this.update()
  }

  doWork(nowNs: number): void {
    if (nowNs >= this.#nextNs) {
      this.#nextNs = nowNs + INTERVAL_MS * NS_PER_MS
      this.update()
    }
  }

  update(): void {
    const { counted, epochMs, syncTimes } = this.#parts
    const now = counted()
    const nowMs = epochMs()
    this.#set(CountersFileDescriptor.PUT_MESSAGES, now.putMessageCount)
    this.#set(CountersFileDescriptor.PUT_BYTES, now.putBytes)
    this.#set(CountersFileDescriptor.GET_MESSAGES, now.getMessageCount)
    this.#set(CountersFileDescriptor.GET_BYTES, now.getBytes)
    this.#set(CountersFileDescriptor.REFUSALS, now.refusalCount)
    this.#set(CountersFileDescriptor.MAX_POSITION, now.maxPosition)
    this.#set(CountersFileDescriptor.COMMITTED_POSITION, now.committedPosition)
    this.#set(CountersFileDescriptor.FLUSHED_POSITION, now.flushedPosition)
    this.#set(CountersFileDescriptor.DISPATCHED_POSITION, now.dispatchedPosition)
    this.#set(CountersFileDescriptor.SYNCS, now.syncCount)
    this.#set(CountersFileDescriptor.SYNC_TIME_NS, Math.round(now.syncTimeNs))
    this.#set(CountersFileDescriptor.WAITING_READERS, now.waitingReaderCount)
    this.#set(CountersFileDescriptor.WRITEABLE, now.isWriteable ? 1 : 0)
    if (syncTimes.count > 0) {
      this.#set(CountersFileDescriptor.LAST_SYNCS, nowMs)
      this.#set(CountersFileDescriptor.SYNC_P50_NS, Math.round(syncTimes.quantileNs(0.5)))
      this.#set(CountersFileDescriptor.SYNC_P99_NS, Math.round(syncTimes.quantileNs(0.99)))
      this.#set(CountersFileDescriptor.SYNC_MAX_NS, Math.round(syncTimes.maxNs))
      syncTimes.clear()
    }
    // Release: who finds it unchanged behind the others has read what was written before it.
    this.#set(CountersFileDescriptor.HEARTBEAT, nowMs)
  }

  #set(typeId: number, value: number): void {
    this.#counters.get(typeId)!.setRelease(value)
  }
}
