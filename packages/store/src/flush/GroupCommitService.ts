/**
 * Synchronous flush: whoever puts waits until its record is on the device. All that came while a sync ran are served by
 * the next one together; a position in the next file is reached by a further sync.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { FileFailure } from "../mapped/FileSystem.ts"
import type { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import * as CommitLogFlusher from "./CommitLogFlusher.ts"
import type { FlushDone, FlushService } from "./FlushService.ts"
import { FlushWaiters } from "./FlushWaiters.ts"
import type { SyncLane } from "./SyncLane.ts"

const NS_PER_MS = 1_000_000
/** Without anybody waiting (all messages with WAIT=false) the log is still flushed at this pace. */
const IDLE_INTERVAL_NS = 10 * NS_PER_MS

export class GroupCommitService implements FlushService {
  readonly roleName = "group-commit"
  readonly #commitLog: CommitLog
  readonly #checkpoint: StoreCheckpoint
  readonly #lane: SyncLane
  readonly #waiters = new FlushWaiters()
  #nextIdleNs = 0

  constructor(commitLog: CommitLog, checkpoint: StoreCheckpoint, lane: SyncLane) {
    this.#commitLog = commitLog
    this.#checkpoint = checkpoint
    this.#lane = lane
  }

  onAppend(): void {
    this.#nextIdleNs = 0
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

  doWork(nowNs: number): number {
    if (this.#waiters.isEmpty && nowNs < this.#nextIdleNs) {
      return 0
    }
    this.#nextIdleNs = nowNs + IDLE_INTERVAL_NS
    return CommitLogFlusher.start(this.#commitLog, this.#checkpoint, this.#lane, 0, () => this.#release()) ? 1 : 0
  }

  #release(): void {
    this.#waiters.release(this.#commitLog.files.flushedWhere)
  }
}
