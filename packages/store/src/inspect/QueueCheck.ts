/**
 * Holds the consume queues against the log, both ways: each record that belongs into a queue has its entry there, and
 * each entry leads to its record.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import * as InnerBatch from "../commitlog/InnerBatch.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import { isFiller, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import { makeUnit } from "../consumequeue/ConsumeQueueExt.ts"
import type { QueueState, QueueTable } from "../consumequeue/QueueTable.ts"
import { tagsCodeOf } from "../dispatch/QueueDispatcher.ts"
import type { OnFinding } from "./Finding.ts"
import { type Damage, isDamaged } from "./LogSurvey.ts"

const NO_CRC: RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }
/** A queue of several topics' messages (LMQ): its entries lead to records of another topic. */
const MULTI_DISPATCH_PREFIX = "%LMQ%"
const ENTRIES_A_SLICE = 100_000
const TAGS_DIFFER = "its tags code is not that of the record"
const UNIT_DIFFERS = "its unit of the extended queue is not that of the record"

const unit = makeUnit()

export interface QueueCheckOptions {
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  /** Whether records at the end may still lack their entries: the store is open, or was not closed. */
  readonly mayLag: boolean
  readonly onFinding: OnFinding
}

export class QueueCheck {
  readonly #options: QueueCheckOptions
  readonly #entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  readonly #cursor = new RecordCursor()
  /** Records that are not in their queues yet, and may be. */
  lagging: number = 0
  entryCount: number = 0
  /** Entries that lead behind the last record of a store that may have lost its end. */
  beyondEnd: number = 0
  #damages: ReadonlyArray<Damage> = []
  #end = 0

  constructor(options: QueueCheckOptions) {
    this.#options = options
  }

  /** Looks whether a valid record has its entry. */
  onRecord(record: RecordCursor, position: number): void {
    const { mayLag, onFinding, queues } = this.#options
    const { queueId, queueOffset, sysFlag, topic, totalSize } = record
    if (InnerBatch.spanOf(record) === 0 || (SysFlag.isInnerBatch(sysFlag) && !queues.isBatch(topic))) {
      return
    }
    const queue = queues.find(topic, queueId)?.queue
    if (queue !== undefined && queue.read(queueOffset, this.#entry)) {
      const isRight = this.#entry.position === position && this.#entry.size === totalSize
      if (!isRight) {
        onFinding({
          _tag: "QueueEntryWrong",
          topic,
          queueId,
          queueOffset,
          found: { ...this.#entry },
          expected: { position, size: totalSize, tagsCode: tagsCodeOf(record, topic) },
          detail: isFiller(this.#entry) ? "it stands for no record" : "it leads elsewhere"
        })
      }
    } else if (mayLag && queueOffset >= (queue?.maxOffset ?? 0)) {
      this.lagging++
    } else {
      onFinding({ _tag: "QueueEntryMissing", topic, queueId, queueOffset, position })
    }
  }

  /** Looks where the entries of all queues lead to; `damages` and `end` are those of the log. Yields the number of entries looked at. */
  *entries(damages: ReadonlyArray<Damage>, end: number): Generator<number, void> {
    this.#damages = damages
    this.#end = end
    for (const state of this.#options.queues.all()) {
      const { queue } = state
      for (let slot = queue.firstSlot; queue.readSlot(slot, this.#entry); slot++) {
        this.#checkEntry(state, slot)
        this.entryCount++
        if (this.entryCount % ENTRIES_A_SLICE === 0) {
          yield this.entryCount
        }
      }
    }
  }

  #checkEntry(state: QueueState, slot: number): void {
    const { queue, queueId, topic } = state
    const queueOffset = queue.offsetOf(slot)
    const entry = this.#entry
    const detail = isFiller(entry) ? undefined : this.#problemOf(state, slot)
    const { position, size } = entry
    if (detail === TAGS_DIFFER || detail === UNIT_DIFFERS) {
      const expected = { position, size, tagsCode: tagsCodeOf(this.#cursor, topic.name) }
      const wrong = { topic: queue.topic, queueId, queueOffset, found: { ...entry }, expected, detail }
      this.#options.onFinding({ _tag: "QueueEntryWrong", ...wrong })
    } else if (detail !== undefined && this.#options.mayLag && position >= this.#end) {
      this.beyondEnd++
    } else if (detail !== undefined) {
      this.#options.onFinding({
        _tag: "QueueEntryWrong",
        topic: queue.topic,
        queueId,
        queueOffset,
        found: { ...entry },
        expected: undefined,
        detail
      })
    }
  }

  /** What is wrong with the entry at hand; undefined where it is right, or its record is gone by age. */
  #problemOf({ queue, queueId, topic: { isBatch, name: topic } }: QueueState, slot: number): string | undefined {
    const queueOffset = queue.offsetOf(slot)
    const { commitLog } = this.#options
    const { position, size, tagsCode } = this.#entry
    if (position < commitLog.minOffset) {
      return undefined
    }
    if (isDamaged(this.#damages, position)) {
      return "the log is damaged there"
    }
    const file = commitLog.files.find(position)
    const record = this.#cursor
    if (file === undefined || RecordReader.read(file, position - file.fromOffset, record, NO_CRC) !== size) {
      return "no record of this length stands there"
    }
    if (topic.startsWith(MULTI_DISPATCH_PREFIX)) {
      return undefined
    }
    if (record.topic !== topic || record.queueId !== queueId) {
      return `the record there is of ${record.topic}/${record.queueId}`
    }
    if (record.queueOffset !== queueOffset) {
      return `the record there has the offset ${record.queueOffset}`
    }
    if (isBatch && queue.endOf(slot) - queueOffset !== InnerBatch.spanOf(record)) {
      return "the record there has another number of messages"
    }
    const unitAt = queue.ext === undefined ? -1 : queue.unitPositionOf(slot)
    const expected = tagsCodeOf(record, topic)
    if (unitAt < 0) {
      return tagsCode === expected ? undefined : TAGS_DIFFER
    }
    const { files } = queue.ext!
    const isUnit = queue.ext!.read(unitAt, unit)
    const isRight = isUnit && unit.tagsCode === expected && unit.storeTimestamp === record.storeTimestamp
    // Extended queues may be lost as a whole, or begin anew behind what is lost: the record is asked then.
    const isLost = files.firstFile === undefined || unitAt < files.minOffset
    return isRight || isLost ? undefined : UNIT_DIFFERS
  }
}
