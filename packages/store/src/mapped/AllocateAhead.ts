/** Makes the next file of the log before the current one is full, so that no put pays for it. */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import { FileFailure } from "./FileSystem.ts"
import type { MappedFileQueue } from "./MappedFileQueue.ts"

const NS_PER_MS = 1_000_000
const RETRY_INTERVAL_NS = 1_000 * NS_PER_MS

export class AllocateAhead implements Agent {
  readonly roleName = "allocate-ahead"
  readonly #files: MappedFileQueue
  #retryNs = 0

  constructor(files: MappedFileQueue) {
    this.#files = files
  }

  doWork(nowNs: number): number {
    if (!this.#files.wantsFileAhead || nowNs < this.#retryNs) {
      return 0
    }
    try {
      this.#files.createAhead()
      return 1
    } catch (error) {
      if (!(error instanceof FileFailure)) {
        throw error
      }
      // There is room in the current file yet. Whoever needs the next one will try again and be told the reason.
      this.#retryNs = nowNs + RETRY_INTERVAL_NS
      return 0
    }
  }
}
