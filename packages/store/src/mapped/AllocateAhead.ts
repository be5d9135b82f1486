/**
 * Makes the next two files of the log before the current one is full, so that no put pays for it. They are made in the
 * thread pool, one at a time, and warmed up if that is asked for.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import { FileFailure } from "./FileSystem.ts"
import type { MappedFileQueue } from "./MappedFileQueue.ts"
import type { WarmUp } from "./WarmUp.ts"

const NS_PER_MS = 1_000_000
const RETRY_INTERVAL_NS = 1_000 * NS_PER_MS

export class AllocateAhead implements Agent {
  readonly roleName = "allocate-ahead"
  readonly #files: MappedFileQueue
  readonly #warmUp: WarmUp | undefined
  readonly #onDone: () => void
  #retryNs = 0
  #hasFailed = false

  /** `onDone` is told when a file is there: the next one can be begun. */
  constructor(files: MappedFileQueue, warmUp: WarmUp | undefined, onDone: () => void) {
    this.#files = files
    this.#warmUp = warmUp
    this.#onDone = onDone
  }

  doWork(nowNs: number): number {
    const warmed = this.#warmUp?.doWork() ?? 0
    if (this.#hasFailed) {
      // There is room in the current file yet. Whoever needs the next one will try again and be told the reason.
      this.#hasFailed = false
      this.#retryNs = nowNs + RETRY_INTERVAL_NS
    }
    if (!this.#files.wantsFileAhead || nowNs < this.#retryNs) {
      return warmed
    }
    try {
      if (!this.#files.hasRoomAhead) {
        this.#hasFailed = true
        return warmed
      }
      this.#files.startAhead((failure, file) => {
        this.#hasFailed = failure !== undefined
        if (file !== undefined) {
          this.#warmUp?.add(file)
        }
        this.#onDone()
      })
      return warmed + 1
    } catch (error) {
      if (!(error instanceof FileFailure)) {
        throw error
      }
      this.#hasFailed = true
      return warmed
    }
  }
}
