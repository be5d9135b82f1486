/**
 * Asynchronous flush: `intervalMs` after a flush has ended the log is synced again if `leastPages` are dirty, and every
 * `thoroughIntervalMs` whatever is dirty. A flush goes on without a pause from a full file to the next one. Who asks to
 * wait makes the next flush a thorough one, at once.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { FileFailure } from "../mapped/FileSystem.ts"
import type { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import * as CommitLogFlusher from "./CommitLogFlusher.ts"
import type { FlushDone, FlushService } from "./FlushService.ts"
import { FlushWaiters } from "./FlushWaiters.ts"
import type { SyncLane } from "./SyncLane.ts"

const NS_PER_MS = 1_000_000

export interface FlushRealTimeOptions {
  readonly intervalMs: number
  readonly leastPages: number
  readonly thoroughIntervalMs: number
}

export class FlushRealTimeService implements FlushService {
  readonly roleName = "flush-real-time"
  readonly #commitLog: CommitLog
  readonly #checkpoint: StoreCheckpoint
  readonly #lane: SyncLane
  readonly #options: FlushRealTimeOptions
  readonly #waiters = new FlushWaiters()
  #nextFlushNs = 0
  #nextThoroughNs = 0
  #isThorough = false
  /** Whether the last file of a flush has been synced since the last duty cycle. */
  #hasEnded = false
  readonly #onFlushed = (isFull: boolean): void => {
    this.#hasEnded = !isFull
    this.#release()
  }

  constructor(commitLog: CommitLog, checkpoint: StoreCheckpoint, lane: SyncLane, options: FlushRealTimeOptions) {
    this.#commitLog = commitLog
    this.#checkpoint = checkpoint
    this.#lane = lane
    this.#options = options
  }

  onAppend(): void {
    // Appends do not hurry an asynchronous flush (RocketMQ's wakeFlushWhenPutMessage is off by default).
  }

  whenFlushed(position: number, done: FlushDone): () => void {
    const cancel = this.#waiters.add(position, done)
    this.#release()
    return cancel
  }

  get isAsked(): boolean {
    return !this.#waiters.isEmpty
  }

  onFailure(failure: FileFailure): void {
    this.#waiters.fail(failure)
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
    const isAsked = !this.#waiters.isEmpty
    if (!isAsked && nowNs < this.#nextFlushNs) {
      return 0
    }
    if (!this.#lane.isFreeFor("log")) {
      return 0
    }
    this.#isThorough = isAsked || nowNs >= this.#nextThoroughNs
    const leastPages = this.#isThorough ? 0 : this.#options.leastPages
    if (CommitLogFlusher.start(this.#commitLog, this.#checkpoint, this.#lane, leastPages, this.#onFlushed)) {
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

  #release(): void {
    this.#waiters.release(this.#commitLog.files.flushedWhere)
  }
}
