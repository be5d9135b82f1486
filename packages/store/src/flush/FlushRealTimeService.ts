/**
 * Asynchronous flush: `intervalMs` after a flush has ended the log is synced again if `leastPages` are dirty, and every
 * `thoroughIntervalMs` whatever is dirty. A flush goes on without a pause from a full file to the next one. Who asks to
 * wait makes the next flush a thorough one, at once.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import { FlushService } from "./FlushService.ts"
import type { SyncLane } from "./SyncLane.ts"

const NS_PER_MS = 1_000_000

export interface FlushRealTimeOptions {
  readonly intervalMs: number
  readonly leastPages: number
  readonly thoroughIntervalMs: number
}

export class FlushRealTimeService extends FlushService {
  readonly roleName = "flush-real-time"
  readonly #options: FlushRealTimeOptions
  #nextFlushNs = 0
  #nextThoroughNs = 0
  #isThorough = false
  /** Whether the last file of a flush has been synced since the last duty cycle. */
  #hasEnded = false

  constructor(commitLog: CommitLog, checkpoint: StoreCheckpoint, lane: SyncLane, options: FlushRealTimeOptions) {
    super(commitLog, checkpoint, lane)
    this.#options = options
  }

  protected override onFlushed(isFull: boolean): void {
    this.#hasEnded = !isFull
  }

  onAppend(): void {
    // Appends do not hurry an asynchronous flush (RocketMQ's wakeFlushWhenPutMessage is off by default).
  }

  onStart(nowNs: number): void {
    this.#nextFlushNs = nowNs + this.#options.intervalMs * NS_PER_MS
    this.#nextThoroughNs = nowNs + this.#options.thoroughIntervalMs * NS_PER_MS
  }

  doWork(nowNs: number): number {
    if (this.#hasEnded) {
      this.#hasEnded = false
      this.#rest(nowNs)
    }
    const { isAsked } = this
    if (!isAsked && nowNs < this.#nextFlushNs) {
      return 0
    }
    if (!this.isLaneFree) {
      return 0
    }
    this.#isThorough = isAsked || nowNs >= this.#nextThoroughNs
    const leastPages = this.#isThorough ? 0 : this.#options.leastPages
    if (this.startFlush(leastPages)) {
      return 1
    }
    this.#rest(nowNs)
    return 0
  }

  #rest(nowNs: number): void {
    this.#nextFlushNs = nowNs + this.#options.intervalMs * NS_PER_MS
    if (this.#isThorough) {
      this.#nextThoroughNs = nowNs + this.#options.thoroughIntervalMs * NS_PER_MS
    }
  }
}
