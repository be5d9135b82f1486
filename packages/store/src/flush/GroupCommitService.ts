/**
 * Synchronous flush: whoever puts waits until its record is on the device. All that came while a sync ran are served by
 * the next one together; a position in the next file is reached by a further sync.
 */
import { FlushService } from "./FlushService.ts"

const NS_PER_MS = 1_000_000
/** Without anybody waiting (all messages with WAIT=false) the log is still flushed at this pace. */
const IDLE_INTERVAL_NS = 10 * NS_PER_MS

export class GroupCommitService extends FlushService {
  readonly roleName = "group-commit"
  #nextIdleNs = 0

  onAppend(): void {
    this.#nextIdleNs = 0
  }

  doWork(nowNs: number): number {
    if (!this.isAsked && nowNs < this.#nextIdleNs) {
      return 0
    }
    this.#nextIdleNs = nowNs + IDLE_INTERVAL_NS
    return this.startFlush(0) ? 1 : 0
  }
}
