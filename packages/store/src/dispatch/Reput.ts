/**
 * Follows the commit log and sends each record through the dispatch chain, in order. It never goes beyond the position
 * that readers may see: with synchronous flush that is what is on the device, else what is written.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import { FileFailure } from "../mapped/FileSystem.ts"
import type { Dispatcher } from "./Dispatcher.ts"

/** Records a pass, so that a long backlog leaves the loop free for others. At about 1 µs each a pass takes a millisecond. */
const RECORDS_PER_PASS = 1024

export interface ReputOptions {
  readonly commitLog: CommitLog
  readonly dispatchers: ReadonlyArray<Dispatcher>
  /** Position up to which records may be seen. */
  readonly visibleEnd: () => number
  /** After a pass that dispatched something. */
  readonly onDispatched: () => void
  /** A record that cannot be read: the store is told once, and dispatch stops there. */
  readonly onBroken: (position: number, reason: string) => void
  /** A queue or index has no room for the next record: it is tried again at the next pass. */
  readonly onBlocked: (failure: FileFailure) => void
}

const NO_CRC: RecordCheck.RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }

export class Reput implements Agent {
  readonly roleName = "reput"
  readonly #options: ReputOptions
  readonly #cursor = new RecordCursor()
  #position: number
  #timestamp = 0
  #isStopped = false

  constructor(options: ReputOptions, position: number) {
    this.#options = options
    this.#position = position
  }

  /** Everything before this position has been dispatched. */
  get position(): number {
    return this.#position
  }

  /** Store time of the last record that was dispatched; 0 before the first. */
  get dispatchedTimestamp(): number {
    return this.#timestamp
  }

  /** Whether all that may be seen is dispatched. */
  get isAtEnd(): boolean {
    return this.#position >= this.#options.visibleEnd()
  }

  get behindBytes(): number {
    return Math.max(0, this.#options.commitLog.maxOffset - this.#position)
  }

  doWork(): number {
    const { onDispatched, visibleEnd } = this.#options
    const end = visibleEnd()
    if (this.#isStopped || this.#position >= end) {
      return 0
    }
    let count = 0
    try {
      while (count < RECORDS_PER_PASS && this.#position < end && !this.#isStopped) {
        this.#step()
        count++
      }
    } catch (error) {
      if (!(error instanceof FileFailure)) {
        throw error
      }
      this.#options.onBlocked(error)
      return 0
    }
    onDispatched()
    return count
  }

  #step(): void {
    const { commitLog, dispatchers } = this.#options
    const position = Math.max(this.#position, commitLog.minOffset)
    this.#position = position
    const file = commitLog.files.find(position)
    if (file === undefined) {
      return this.#stop(position, "no file holds it")
    }
    const offset = position - file.fromOffset
    const length = RecordReader.read(file, offset, this.#cursor, NO_CRC)
    if (length === RecordCheck.BLANK || length === RecordCheck.NO_ROOM) {
      this.#position = file.fromOffset + file.length
      return
    }
    if (length < 0) {
      return this.#stop(position, RecordCheck.reasonOf(length))
    }
    for (let index = 0; index < dispatchers.length; index++) {
      dispatchers[index]!.dispatch(this.#cursor, position)
    }
    this.#position = position + length
    this.#timestamp = this.#cursor.storeTimestamp
  }

  #stop(position: number, reason: string): void {
    this.#isStopped = true
    this.#options.onBroken(position, reason)
  }
}
