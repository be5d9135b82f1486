/**
 * Ends a store at a position. What is cut is made invalid on the device before anything new is written: bytes that only
 * lie behind the end come back to life with the next crash, since their CRC and their position are right.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import { type ConsumeQueue, isFiller, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import * as MultiDispatch from "../consumequeue/MultiDispatch.ts"
import { isDelayTopic } from "../dispatch/DelayLevel.ts"
import { tagsCodeOf } from "../dispatch/QueueDispatcher.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import { isZero } from "../mapped/ZeroBytes.ts"
import * as Utf8 from "../commitlog/Utf8.ts"

const NO_CRC: RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }

/** Ends the log at `end`: zeros on the device from there to the end of its file, later files removed. */
export const cutLog = (commitLog: CommitLog, end: number): void => {
  const { files } = commitLog
  const file = files.find(end)
  if (file !== undefined) {
    const from = end - file.fromOffset
    file.file.clear(from, file.length - from)
    file.file.sync(from, file.length - from)
  }
  files.truncate(end)
}

/**
 * Ends the queue behind its last entry that is true: its record ends by `logEnd` and names this queue and this offset.
 * Entries that an earlier crash left behind the end fail that test. So does one that lies across two sectors of which only
 * the first came to the device, by its tags code; it is the last one then. Returns the number of entries cut.
 */
export const cutQueue = (queue: ConsumeQueue, commitLog: CommitLog, logEnd: number): number => {
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  const topic = Utf8.encode(queue.topic)
  const before = queue.endSlot
  const first = queue.firstSlot
  let slot = before
  let isTornMet = false
  while (slot > first && queue.readSlot(slot - 1, entry)) {
    const isWithinLog = entry.position + entry.size <= logEnd
    if (isFiller(entry)) {
      break
    }
    if (isWithinLog && isTrue(entry, queue.offsetOf(slot - 1), queue, topic, commitLog)) {
      if (isTornMet || hasTagsCode(entry, queue, slot - 1, commitLog)) {
        break
      }
      isTornMet = true
    }
    slot--
  }
  clearBehind(queue, slot)
  queue.truncate(slot)
  queue.maxPosition =
    slot > first && queue.readSlot(slot - 1, entry) && !isFiller(entry) ? entry.position + entry.size : -1
  return before - slot
}

/** The record of the entry that was looked at last. */
const cursor = new RecordCursor()
const LOW_HALF = 0x1_0000_0000
/** What is behind this is no position of a unit: a tags code of which the lower half is lost can look like one. */
const POSITION_MAX = Number.MAX_SAFE_INTEGER

/** An entry whose record has been cleaned away cannot be asked and is believed. */
const isTrue = (
  entry: QueueEntry,
  queueOffset: number,
  queue: ConsumeQueue,
  topic: Uint8Array,
  commitLog: CommitLog
): boolean => {
  const file = commitLog.files.find(entry.position)
  if (file === undefined) {
    return entry.position < commitLog.minOffset
  }
  const offset = entry.position - file.fromOffset
  const length = RecordReader.read(file, offset, cursor, NO_CRC)
  if (length !== entry.size) {
    return false
  }
  const isOwn = cursor.queueId === queue.queueId && cursor.queueOffset === queueOffset && cursor.hasTopic(topic)
  return isOwn || (MultiDispatch.isLmq(queue.topic) && MultiDispatch.has(cursor, queue.topic, queueOffset))
}

/** Whether an entry that is true says of the tags what its record does. Units of an extended queue are looked at later. */
const hasTagsCode = (entry: QueueEntry, queue: ConsumeQueue, slot: number, commitLog: CommitLog): boolean => {
  if (commitLog.files.find(entry.position) === undefined) {
    return true
  }
  const unitAt = queue.unitPositionOf(slot)
  // Other delays than the usual ones may have been set; what a sector lacks is zeros.
  const isDue = isDelayTopic(queue.topic) && entry.tagsCode % LOW_HALF !== 0
  return isDue || entry.tagsCode === tagsCodeOf(cursor, cursor.topic) || (unitAt >= 0 && unitAt < POSITION_MAX)
}

const isUnwritten = (file: MappedFile, offset: number, length: number): boolean => {
  const { base, bytes } = file.read(offset, length)
  return isZero(bytes, offset - base, offset - base + length)
}

/**
 * Zeros behind the end of a queue, where something stands there. The next flush of the queue brings them to the device with
 * its new entries.
 */
const clearBehind = (queue: ConsumeQueue, end: number): void => {
  const at = end * queue.entryLength
  const file = queue.files.find(at)
  // What is cut stands right behind the end. To clear all queues at each start would take as long as all else together.
  if (file !== undefined && !isUnwritten(file, at - file.fromOffset, queue.entryLength)) {
    file.file.clear(at - file.fromOffset, file.length - (at - file.fromOffset))
  }
}
