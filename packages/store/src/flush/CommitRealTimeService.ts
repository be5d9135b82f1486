/**
 * Moves what was put from the buffers of the transient pool to the files of the log: every `intervalMs`, and after each
 * put where `isWokenByPuts`, as soon as `leastPages` are dirty; every `thoroughIntervalMs`, or when somebody waits for
 * it or for the device, whatever there is. It works in addition to a flush service: what it has written is in the page cache.
 *
 * One write at a time, in the thread pool, of bytes that nobody changes any more. Readers see them when it has ended.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { FileFailure } from "../mapped/FileSystem.ts"
import type { MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import { type FlushDone, FlushWaiters } from "./FlushWaiters.ts"

const NS_PER_MS = 1_000_000
/** Bytes of one write, so that one that waits for the device does not hold up all that comes after. */
const WRITE_LENGTH_MAX = 4 * 1024 * 1024

export interface CommitRealTimeOptions {
  readonly intervalMs: number
  readonly leastPages: number
  readonly thoroughIntervalMs: number
  readonly isWokenByPuts: boolean
  /** Whether somebody waits until the log is on the device. */
  readonly isAsked: () => boolean
  readonly onFailure: (failure: FileFailure) => void
  /** A write has ended: there is more to read, and perhaps more to write. */
  readonly onDone: () => void
}

export class CommitRealTimeService implements Agent {
  readonly roleName = "commit-real-time"
  readonly #files: MappedFileQueue
  readonly #options: CommitRealTimeOptions
  #nextCommitNs = 0
  #nextThoroughNs = 0
  readonly #waiters = new FlushWaiters()
  #isBusy = false
  #hasFailed = false

  constructor(files: MappedFileQueue, options: CommitRealTimeOptions) {
    this.#files = files
    this.#options = options
  }

  /** Whether a write is running in the thread pool. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  onStart(nowNs: number): void {
    this.#rest(nowNs)
    this.#nextThoroughNs = nowNs + this.#options.thoroughIntervalMs * NS_PER_MS
  }

  /** Something was put. */
  onAppend(): void {
    if (this.#options.isWokenByPuts) {
      this.#nextCommitNs = 0
    }
  }

  /** Has `done` called once everything before `position` can be read. Returns a way to stop waiting. */
  whenCommitted(position: number, done: FlushDone): () => void {
    const cancel = this.#waiters.add(position, done)
    this.#waiters.release(this.#files.readableEnd)
    return cancel
  }

  doWork(nowNs: number): number {
    const isAsked = !this.#waiters.isEmpty || this.#options.isAsked()
    if (this.#isBusy || this.#hasFailed || (!isAsked && nowNs < this.#nextCommitNs)) {
      return 0
    }
    const isThorough = isAsked || nowNs >= this.#nextThoroughNs
    const file = this.#files.fileToCommit(isThorough ? 0 : this.#options.leastPages)
    if (file === undefined) {
      this.#rest(nowNs)
      if (isThorough) {
        this.#nextThoroughNs = nowNs + this.#options.thoroughIntervalMs * NS_PER_MS
      }
      return 0
    }
    this.#isBusy = true
    file.commitAsync(WRITE_LENGTH_MAX, (failure) => {
      this.#isBusy = false
      if (failure === undefined) {
        this.#files.onCommitted(file)
        this.#waiters.release(this.#files.readableEnd)
      } else {
        this.#hasFailed = true
        this.#waiters.fail(failure)
        this.#options.onFailure(failure)
      }
      this.#options.onDone()
    })
    return 1
  }

  #rest(nowNs: number): void {
    this.#nextCommitNs = nowNs + this.#options.intervalMs * NS_PER_MS
  }
}
