/**
 * Brings an extended queue into line with its queue, whose entries decide. What RocketMQ calls weakly reliable is made
 * whole here: an entry whose unit did not reach the device gets the tags code itself, which is what RocketMQ writes where
 * it has no room for a unit; and units are only ever added behind all that entries lead to.
 *
 * After a loss of power no unit is believed that may not have been flushed. Its filter bits may be lost in part, or an entry
 * of before an earlier crash may lead to the unit of a later message that has the same tags and the same time: nothing in a
 * unit says so, and a filter would miss the message.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import type { ConsumeQueue, QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import { type ConsumeQueueExt, makeUnit } from "../consumequeue/ConsumeQueueExt.ts"
import * as QueueSearch from "../consumequeue/QueueSearch.ts"
import { tagsCodeOf } from "../dispatch/QueueDispatcher.ts"

const NO_CRC: RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }
/** Files of a queue that are searched for its last unit, as RocketMQ does. */
const QUEUE_FILES_READ = 3

const cursor = new RecordCursor()
const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
const unit = makeUnit()

/**
 * Ends the extended queue behind the unit of the last entry that has one. Entries of records from `unflushedFrom` on are
 * held against their units. Throws `FileFailure`.
 */
export const recover = (
  queue: ConsumeQueue,
  commitLog: CommitLog,
  unflushedFrom: number,
  isCacheKept: boolean
): void => {
  const { ext } = queue
  if (ext === undefined) {
    return
  }
  const { endSlot, firstSlot } = queue
  const unflushed = QueueSearch.first(queue, firstSlot, endSlot, ({ position }) => position >= unflushedFrom)
  let firstUnit = -1
  for (let slot = unflushed; slot < endSlot; slot++) {
    const unitAt = mend(queue, ext, commitLog, slot, isCacheKept)
    firstUnit = firstUnit < 0 ? unitAt : firstUnit
  }
  endBehind(ext, lastUnit(queue), firstSlot === endSlot)
  ext.files.flushedWhere = ext.files.maxOffset
  if (firstUnit >= 0) {
    ext.files.markUnflushed(firstUnit)
  }
}

/** `position` is that of the last unit, -1 where none was found. */
const endBehind = (ext: ConsumeQueueExt, position: number, isEmpty: boolean): void => {
  const end = position < 0 && !isEmpty ? ext.findEnd() : ext.endOf(position)
  if (end < 0) {
    // Nothing leads to the files that are there, or what the last entry leads to is not in them.
    ext.restart(position)
  } else {
    ext.truncate(end)
  }
}

/** Position of the unit of the last entry that has one; -1 where none is found. */
const lastUnit = (queue: ConsumeQueue): number => {
  const { files } = queue.files
  const low = (files[Math.max(0, files.length - QUEUE_FILES_READ)]?.fromOffset ?? 0) / queue.entryLength
  for (let slot = queue.endSlot - 1; slot >= low; slot--) {
    const unitAt = queue.unitPositionOf(slot)
    if (unitAt >= 0) {
      return unitAt
    }
  }
  return -1
}

/** Position of the unit that an entry has; -1 for an entry without, which it is made where its unit is not there. */
const mend = (
  queue: ConsumeQueue,
  ext: ConsumeQueueExt,
  commitLog: CommitLog,
  slot: number,
  isCacheKept: boolean
): number => {
  const unitAt = queue.unitPositionOf(slot)
  if (unitAt < 0 || !queue.readSlot(slot, entry)) {
    return -1
  }
  const file = commitLog.files.find(entry.position)
  if (file === undefined || RecordReader.read(file, entry.position - file.fromOffset, cursor, NO_CRC) !== entry.size) {
    return unitAt
  }
  const tagsCode = tagsCodeOf(cursor, queue.topic)
  const isRight = ext.read(unitAt, unit) && unit.tagsCode === tagsCode && unit.storeTimestamp === cursor.storeTimestamp
  if (isRight && isCacheKept) {
    return unitAt
  }
  queue.rewriteEntry(slot, { ...entry, tagsCode })
  return -1
}
