/**
 * Asynchronous flush: every `intervalMs` the log is synced if `leastPages` are dirty, and every `thoroughIntervalMs`
 * whatever is dirty. Who asks to wait makes the next flush a thorough one.
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

  onFailure(failure: FileFailure): void {
    this.#waiters.fail(failure)
  }

  onStart(nowNs: number): void {
    this.#nextFlushNs = nowNs + this.#options.intervalMs * NS_PER_MS
    this.#nextThoroughNs = nowNs + this.#options.thoroughIntervalMs * NS_PER_MS
  }

  doWork(nowNs: number): number {
    const isAsked = !this.#waiters.isEmpty
    if (!isAsked && nowNs < this.#nextFlushNs) {
      return 0
    }
    const isThorough = isAsked || nowNs >= this.#nextThoroughNs
    const leastPages = isThorough ? 0 : this.#options.leastPages
    if (CommitLogFlusher.start(this.#commitLog, this.#checkpoint, this.#lane, leastPages, () => this.#release())) {
      return 1
    }
    if (this.#lane.isFree) {
      // Only when nothing (more) qualifies does the time run anew: a flush covers one file, the next tick the next.
      this.#nextFlushNs = nowNs + this.#options.intervalMs * NS_PER_MS
      if (isThorough) {
        this.#nextThoroughNs = nowNs + this.#options.thoroughIntervalMs * NS_PER_MS
      }
    }
    return 0
  }

  #release(): void {
    this.#waiters.release(this.#commitLog.files.flushedWhere)
  }
}
