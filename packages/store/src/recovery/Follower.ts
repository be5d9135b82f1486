/**
 * Reads a store beside the process that writes it: no lock, no change to any file. The end of each queue is found by its
 * entries (one without a length is not written yet), the end of the log by the records behind the last entry.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { isFiller, isWritten, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { QueueState, QueueTable } from "../consumequeue/QueueTable.ts"
import { FOLLOWED, type IndexService } from "../index/IndexService.ts"
import { FileFailure } from "../mapped/FileSystem.ts"
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
  state.nextOffset = state.queue.maxOffset
}

export interface FollowerOptions {
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly index: IndexService
  /** Opens the queues that are new. */
  readonly loadNewQueues: (onLoaded: (state: QueueState) => void) => void
  readonly onArrival: (queue: QueueState) => void
  /** The directories were listed, or could not be; then they are listed again the next time. */
  readonly onListed: (failure: FileFailure | undefined) => void
}

export class Follower implements Agent {
  readonly roleName = "follower"
  readonly #options: FollowerOptions
  readonly #entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  #nextFollowNs = 0
  #nextListNs = 0
  /** Queues that were opened and not looked into yet. */
  readonly #added: Array<QueueState> = []
  /** Where the log began when the beginnings of queues were last looked for. */
  #minPosition = 0

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
    try {
      const count = this.follow(isListing)
      if (isListing) {
        this.#options.onListed(undefined)
      }
      return count
    } catch (error) {
      if (!(error instanceof FileFailure)) {
        throw error
      }
      this.#options.onListed(error)
      return 0
    }
  }

  /** Looks for what was written since the last time. Returns the number of queues that have more. Throws `FileFailure`. */
  follow(isListing: boolean): number {
    const { commitLog, onArrival, queues } = this.#options
    if (isListing) {
      this.#list()
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
    if (end > commitLog.maxOffset || isListing) {
      this.#extendLog(end)
    }
    this.#correctMinOffsets()
    return count
  }

  /** Looks for what was written to one queue: what a read of it has to see. Throws `FileFailure`. */
  followQueue(state: QueueState): void {
    const { commitLog, onArrival } = this.#options
    if (this.#extend(state)) {
      if (state.queue.maxPosition > commitLog.maxOffset) {
        this.#extendLog(state.queue.maxPosition)
      }
      onArrival(state)
    }
  }

  /** Opens what the writer has made, and lets go of what it has removed. */
  #list(): void {
    const { commitLog, index, loadNewQueues, queues } = this.#options
    loadNewQueues((state) => {
      begin(state)
      this.#added.push(state)
    })
    commitLog.files.refresh()
    for (const { queue } of queues.all()) {
      if (queue.files.isFirstGone) {
        queue.files.refresh()
      }
    }
    index.refresh(commitLog.minOffset)
  }

  /** Beginnings of queues that are new; of all where the log begins anew. */
  #correctMinOffsets(): void {
    const { commitLog, queues } = this.#options
    const { minOffset } = commitLog
    for (const state of minOffset === this.#minPosition ? this.#added : queues.all()) {
      correctMinOffset(state, minOffset)
    }
    this.#added.length = 0
    this.#minPosition = minOffset
  }

  /** First look: where everything begins and ends. */
  attach(): void {
    const { commitLog, index, queues } = this.#options
    commitLog.files.setEnd(commitLog.minOffset)
    for (const state of queues.all()) {
      begin(state)
      this.#added.push(state)
    }
    index.load({ ...FOLLOWED, minPosition: commitLog.minOffset })
    this.follow(true)
  }

  #extend(state: QueueState): boolean {
    const { queue } = state
    const before = queue.endSlot
    let end = this.#scan(state, before)
    if (end * queue.entryLength === endOfFiles(queue.files)) {
      queue.files.refresh()
      end = this.#scan(state, end)
    }
    state.nextOffset = queue.maxOffset
    return end > before
  }

  /** Reads entries from `slot` to the first that is not written, which is the new end. */
  #scan({ queue }: QueueState, slot: number): number {
    let end = Math.max(slot, queue.firstSlot)
    // Files are open beyond what counts as written: reading there is what finds the new entries.
    queue.files.setEnd(endOfFiles(queue.files))
    while (queue.readSlot(end, this.#entry) && isWritten(this.#entry)) {
      end++
      if (!isFiller(this.#entry)) {
        queue.maxPosition = this.#entry.position + this.#entry.size
      }
    }
    queue.files.setEnd(end * queue.entryLength)
    return end
  }

  /** Records behind the last queue entry, which ends at `end`, belong to the log as well, as far as they are whole. */
  #extendLog(end: number): void {
    const { commitLog } = this.#options
    if (end > endOfFiles(commitLog.files)) {
      commitLog.files.refresh()
    }
    const scan = LogScan.scan(commitLog, Math.max(end, commitLog.minOffset), CHECK, () => undefined)
    let step = scan.next()
    while (step.done !== true) {
      step = scan.next()
    }
    commitLog.files.setEnd(step.value.end)
  }
}
