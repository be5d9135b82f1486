/**
 * Removes the oldest files of the log, and what of queues and index stood for them: by age at one hour of the day, by age
 * at any hour when the device fills up, and without regard to age when it is nearly full. Never the last file, never one
 * that is not dispatched and flushed, one at a time with a pause between: removing a large file stalls its device. A file
 * that cannot be removed stays what it was.
 *
 * Age is that of a file's last record by its own store time (the first record of the next file is no older). Times of
 * files change with every copy and touch.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import type { ConsumeQueue, QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import * as QueueSearch from "../consumequeue/QueueSearch.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"
import type { LocalTime } from "../engine/LocalTime.ts"
import type { IndexService } from "../index/IndexService.ts"
import { FileFailure } from "../mapped/FileSystem.ts"
import { correctMinOffset } from "../recovery/Recovery.ts"
import * as DiskPressure from "./DiskPressure.ts"

const NS_PER_MS = 1_000_000
const MS_PER_HOUR = 3_600_000
const NO_CRC: RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }

export interface ExpiredFilesOptions {
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly index: IndexService
  readonly localTime: LocalTime
  /** Pressure of the devices at this moment; its result is also what puts are refused by. */
  readonly pressure: () => number
  /** Something could not be removed; it is tried again in the next round. */
  readonly onFailure: (failure: FileFailure) => void
  /** Runs the step that removes a file of the log. */
  readonly onCleaning: (fromOffset: number, run: () => void) => void
  /** Everything before this position is dispatched. */
  readonly dispatchedPosition: () => number
  readonly fileReservedTime: number
  readonly deleteWhen: string
  readonly cleanResourceInterval: number
  readonly deleteCommitLogFilesInterval: number
  readonly deleteFileBatchMax: number
  readonly cleanFileForciblyEnable: boolean
}

export class ExpiredFiles implements Agent {
  readonly roleName = "expired-files"
  readonly #options: ExpiredFilesOptions
  readonly #hours: ReadonlySet<number>
  readonly #cursor = new RecordCursor()
  #nextRoundNs = 0
  #nextFileNs = 0
  #leftInRound = 0
  #level: number = DiskPressure.NONE
  /** Whether queues or index have files that only speak of what is gone. */
  #isTrimDue = false

  constructor(options: ExpiredFilesOptions) {
    this.#options = options
    this.#hours = new Set(options.deleteWhen.split(";").map(Number))
  }

  onStart(nowNs: number): void {
    this.#nextRoundNs = nowNs + this.#options.cleanResourceInterval * NS_PER_MS
  }

  doWork(nowNs: number): number {
    try {
      return this.#clean(nowNs)
    } catch (error) {
      if (!(error instanceof FileFailure)) {
        throw error
      }
      // What could not be removed is in nobody's way but for its room.
      this.#leftInRound = 0
      this.#options.onFailure(error)
      return 0
    }
  }

  #clean(nowNs: number): number {
    if (nowNs >= this.#nextRoundNs) {
      this.#nextRoundNs = nowNs + this.#options.cleanResourceInterval * NS_PER_MS
      this.#level = this.#options.pressure()
      this.#leftInRound = this.#options.deleteFileBatchMax
      if (this.#isTrimDue) {
        this.#trim()
      }
    }
    if (this.#leftInRound === 0 || nowNs < this.#nextFileNs) {
      return 0
    }
    if (!this.#mayRemoveFirst()) {
      this.#leftInRound = 0
      return 0
    }
    this.#leftInRound--
    this.#nextFileNs = nowNs + this.#options.deleteCommitLogFilesInterval * NS_PER_MS
    this.#options.onCleaning(this.#options.commitLog.minOffset, () => this.#removeFirst())
    this.#level = this.#options.pressure()
    return 1
  }

  #mayRemoveFirst(): boolean {
    const { cleanFileForciblyEnable, commitLog, dispatchedPosition, localTime } = this.#options
    const first = commitLog.files.firstFile
    if (first === undefined || commitLog.files.files.length < 2) {
      return false
    }
    const end = first.fromOffset + first.length
    if (commitLog.files.flushedWhere < end || dispatchedPosition() < end) {
      return false
    }
    if (this.#level >= DiskPressure.FORCE && cleanFileForciblyEnable) {
      return true
    }
    const isTime = this.#level >= DiskPressure.RECLAIM || this.#hours.has(localTime.hour())
    return isTime && this.#isExpired(end)
  }

  /** Whether the record at `position`, the first of the second file, is older than what is kept. */
  #isExpired(position: number): boolean {
    const { commitLog, fileReservedTime, localTime } = this.#options
    const file = commitLog.files.find(position)
    if (file === undefined) {
      return false
    }
    const length = RecordReader.read(file, 0, this.#cursor, NO_CRC)
    return length > 0 && this.#cursor.storeTimestamp + fileReservedTime * MS_PER_HOUR < localTime.epochMs()
  }

  #removeFirst(): void {
    this.#options.commitLog.files.removeFirst()
    this.#isTrimDue = true
    this.#trim()
  }

  /** Has queues and index begin where the log does, and removes their files that only speak of what is gone. */
  #trim(): void {
    const { commitLog, index, queues } = this.#options
    const { minOffset } = commitLog
    for (const state of queues.all()) {
      correctMinOffset(state, minOffset)
    }
    for (const { queue } of queues.all()) {
      removeQueueFiles(queue, minOffset)
      removeUnits(queue)
    }
    index.removeBefore(minOffset)
    this.#isTrimDue = false
  }
}

/** Removes files of a queue all of whose entries stand for records before `minPosition`; the last file stays. */
const removeQueueFiles = (queue: ConsumeQueue, minPosition: number): void => {
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  const { files } = queue
  while (files.files.length > 1) {
    const begin = queue.firstSlot
    const last = QueueSearch.previousReal(queue, queue.nextFileSlot(begin), begin)
    if (!queue.readSlot(last, entry) || entry.position >= minPosition) {
      return
    }
    files.removeFirst()
  }
}

/** Removes files of the extended queue that no entry leads to any more. */
const removeUnits = (queue: ConsumeQueue): void => {
  const { ext, minOffset } = queue
  const unitAt = ext === undefined || minOffset >= queue.maxOffset ? -1 : queue.unitPositionOf(queue.slotOf(minOffset))
  if (unitAt >= 0) {
    ext?.removeBefore(unitAt)
  }
}
