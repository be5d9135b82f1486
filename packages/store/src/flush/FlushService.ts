/**
 * Brings what was appended to the log to the device: one file a sync, as much of it as is written when that starts. When
 * it starts is what tells the two services apart.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { FileFailure } from "../mapped/FileSystem.ts"
import type { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import { type FlushDone, FlushWaiters } from "./FlushWaiters.ts"
import type { SyncLane } from "./SyncLane.ts"

/** Everything before `position` was stored by `timestamp`. */
interface Mark {
  readonly position: number
  readonly timestamp: number
}

export abstract class FlushService implements Agent {
  abstract readonly roleName: string
  readonly #commitLog: CommitLog
  readonly #checkpoint: StoreCheckpoint
  readonly #lane: SyncLane
  readonly #waiters = new FlushWaiters()
  /**
   * What the checkpoint is to say next. Where no sync reaches the end of the log, as with a transient pool that is put into
   * all the time, one does reach in the end what was the end when this was taken.
   */
  #mark: Mark | undefined = undefined

  constructor(commitLog: CommitLog, checkpoint: StoreCheckpoint, lane: SyncLane) {
    this.#commitLog = commitLog
    this.#checkpoint = checkpoint
    this.#lane = lane
  }

  /** Something was appended to the log. */
  abstract onAppend(): void

  abstract doWork(nowNs: number): number

  /** A file was synced as far as it was written; a full one is not the last. */
  protected onFlushed(_isFull: boolean): void {
    // Not everybody has to know.
  }

  /** Has `done` called once everything before `position` is on the device. Returns a way to stop waiting. */
  whenFlushed(position: number, done: FlushDone): () => void {
    const cancel = this.#waiters.add(position, done)
    this.#release()
    return cancel
  }

  /** Whether somebody waits. */
  get isAsked(): boolean {
    return !this.#waiters.isEmpty
  }

  /** The device has failed: whoever waits is told, now and later. */
  onFailure(failure: FileFailure): void {
    this.#waiters.fail(failure)
  }

  protected get isLaneFree(): boolean {
    return this.#lane.isFreeFor("log")
  }

  /** Starts a sync if `leastPages` of a file are dirty. Returns whether it did. */
  protected startFlush(leastPages: number): boolean {
    const { files, lastStoreTimestamp } = this.#commitLog
    const file = this.isLaneFree ? files.fileToFlush(leastPages) : undefined
    if (file === undefined) {
      return false
    }
    const from = file.flushedPosition
    const to = file.readableEnd
    const end: Mark = { position: files.maxOffset, timestamp: lastStoreTimestamp }
    const mark = file.fromOffset + to === end.position ? end : (this.#mark ?? end)
    this.#mark = mark
    this.#lane.run(
      "log",
      (done) => file.file.syncAsync(from, to - from, done),
      () => {
        files.onFlushed(file, to)
        if (file.fromOffset + to >= mark.position) {
          this.#onReached(mark)
        }
        this.onFlushed(to === file.length)
        this.#release()
      }
    )
    return true
  }

  #onReached({ timestamp }: Mark): void {
    this.#mark = undefined
    this.#checkpoint.physicMsgTimestamp = Math.max(this.#checkpoint.physicMsgTimestamp, timestamp)
    this.#checkpoint.write()
  }

  #release(): void {
    this.#waiters.release(this.#commitLog.files.flushedWhere)
  }
}
