/**
 * Reads a store beside the process that writes it: no lock, no change to any file. The end of each queue is found by its
 * entries (one without a length is not written yet), the end of the log by the records behind the last entry.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { isFiller, isWritten, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import * as EntryDescriptor from "../consumequeue/EntryDescriptor.ts"
import type { QueueState, QueueTable } from "../consumequeue/QueueTable.ts"
import type { IndexService } from "../index/IndexService.ts"
import type { MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import * as LogScan from "./LogScan.ts"
import { correctMinOffset } from "./Recovery.ts"

const NS_PER_MS = 1_000_000
const FOLLOW_INTERVAL_NS = 20 * NS_PER_MS
/** How often directories are listed for new queues and files. */
const LIST_INTERVAL_NS = 500 * NS_PER_MS

const CHECK: RecordCheckOptions = { checkCrc: true, requireCrcProperty: false }

/** Where the last file that is open ends. */
const endOfFiles = ({ fileLength, lastFile }: MappedFileQueue): number =>
  lastFile === undefined ? 0 : lastFile.fromOffset + fileLength

/** Files that were opened count as written to their ends, which only holds for who writes them: what is there is looked up. */
const begin = (state: QueueState): void => {
  const { files } = state.queue
  files.setEnd(files.minOffset)
  state.nextOffset = files.minOffset / EntryDescriptor.LENGTH
}

export interface FollowerOptions {
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly index: IndexService
  /** Opens the queues that are new, and returns them. */
  readonly loadNewQueues: () => ReadonlyArray<QueueState>
  readonly onArrival: (queue: QueueState) => void
}

export class Follower implements Agent {
  readonly roleName = "follower"
  readonly #options: FollowerOptions
  readonly #entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  #nextFollowNs = 0
  #nextListNs = 0

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  doWork(nowNs: number): number {
    if (nowNs < this.#nextFollowNs) {
      return 0
    }
    this.#nextFollowNs = nowNs + FOLLOW_INTERVAL_NS
    const isListing = nowNs >= this.#nextListNs
    if (isListing) {
      this.#nextListNs = nowNs + LIST_INTERVAL_NS
    }
    return this.follow(isListing)
  }

  /** Looks for what was written since the last time. Returns the number of queues that have more. */
  follow(isListing: boolean): number {
    const { commitLog, loadNewQueues, onArrival, queues } = this.#options
    const added = isListing ? loadNewQueues() : []
    added.forEach(begin)
    if (isListing) {
      commitLog.files.loadNew()
    }
    let count = 0
    let end = commitLog.maxOffset
    for (const state of queues.all()) {
      if (this.#extend(state)) {
        count++
        end = Math.max(end, state.queue.maxPosition)
        onArrival(state)
      }
    }
    if (end > endOfFiles(commitLog.files)) {
      commitLog.files.loadNew()
    }
    if (end > commitLog.maxOffset || isListing) {
      commitLog.files.setEnd(this.#logEnd(end))
    }
    for (const state of added) {
      correctMinOffset(state, commitLog.minOffset)
    }
    return count
  }

  /** First look: where everything begins and ends. */
  attach(): void {
    const { commitLog, index, queues } = this.#options
    commitLog.files.setEnd(commitLog.minOffset)
    for (const state of queues.all()) {
      begin(state)
    }
    this.follow(true)
    for (const state of queues.all()) {
      correctMinOffset(state, commitLog.minOffset)
    }
    // The writer's index may be ahead of what this reader has seen of the log.
    index.load(commitLog.minOffset, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0)
  }

  #extend(state: QueueState): boolean {
    const { queue } = state
    const before = queue.maxOffset
    let end = this.#scan(state, before)
    if (end * EntryDescriptor.LENGTH === endOfFiles(queue.files)) {
      queue.files.loadNew()
      end = this.#scan(state, end)
    }
    state.nextOffset = end
    return end > before
  }

  /** Reads entries from `offset` to the first that is not written, which is the new end. */
  #scan({ queue }: QueueState, offset: number): number {
    let end = Math.max(offset, queue.files.minOffset / EntryDescriptor.LENGTH)
    // Files are open beyond what counts as written: reading there is what finds the new entries.
    queue.files.setEnd(endOfFiles(queue.files))
    while (queue.read(end, this.#entry) && isWritten(this.#entry)) {
      end++
      if (!isFiller(this.#entry)) {
        queue.maxPosition = this.#entry.position + this.#entry.size
      }
    }
    queue.files.setEnd(end * EntryDescriptor.LENGTH)
    return end
  }

  /** Records behind the last queue entry belong to the log as well, as far as they are whole. */
  #logEnd(from: number): number {
    const { commitLog } = this.#options
    const start = Math.max(from, commitLog.minOffset)
    const scan = LogScan.scan(commitLog, start, CHECK, () => undefined)
    for (;;) {
      const step = scan.next()
      if (step.done === true) {
        return step.value.end
      }
    }
  }
}
