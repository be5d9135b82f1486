/**
 * Tells a torn tail from damage. A crash leaves the last records of the log unfinished, and those are cut. But where a
 * valid record that must have been on the device stands behind a bad one, something else has happened to the bad one,
 * and cutting there would throw good messages away.
 *
 * A valid record behind counts when a later file begins with one, when the checkpoint says that it was on the device, or
 * when a queue points to it. Records that an earlier recovery cut but left in place have older store times than what
 * stands before the bad place: they are told apart by that.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import type { QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"

const OPTIONS: RecordCheck.RecordCheckOptions = { checkCrc: true, requireCrcProperty: false }
const MAGIC_FIRST_BYTE = RecordDescriptor.MAGIC_V1 >>> 24
/** Candidates looked at in one file: a body full of magic numbers must not make this endless. */
const CANDIDATES_MAX = 1_000_000

export interface DamageCheckOptions {
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  /** Store time up to which the log was on the device. */
  readonly flushedTimestamp: number
  /** Store time of the last valid record before the bad place. */
  readonly lastStoreTimestamp: number
}

/** Position of a valid record behind `position` that must have been durable, or -1. */
export const validBehind = (position: number, options: DamageCheckOptions): number => {
  const { files } = options.commitLog
  const cursor = new RecordCursor()
  const file = files.find(position)
  if (file === undefined) {
    return -1
  }
  for (const later of files.files) {
    if (later.fromOffset > position && checkAt(later, 0, cursor) > 0 && isNewer(cursor, options)) {
      return later.fromOffset
    }
  }
  return searchFile(file, position - file.fromOffset + 1, cursor, options)
}

const checkAt = (file: MappedFile, offset: number, cursor: RecordCursor): number =>
  RecordCheck.check(
    file.read(offset, file.length - offset),
    offset,
    file.length,
    file.fromOffset + offset,
    cursor,
    OPTIONS
  )

const isNewer = (record: RecordCursor, options: DamageCheckOptions): boolean =>
  record.storeTimestamp >= options.lastStoreTimestamp

const searchFile = (file: MappedFile, from: number, cursor: RecordCursor, options: DamageCheckOptions): number => {
  const window = file.read(0, file.length)
  let candidates = 0
  let at = window.bytes.indexOf(MAGIC_FIRST_BYTE, from - window.base)
  while (at >= 0 && candidates < CANDIDATES_MAX) {
    candidates++
    const offset = at + window.base - RecordDescriptor.MAGIC_OFFSET
    if (offset >= from && checkAt(file, offset, cursor) > 0) {
      if (isNewer(cursor, options) && mustBeDurable(cursor, options)) {
        return file.fromOffset + offset
      }
      at += cursor.totalSize
    }
    at = window.bytes.indexOf(MAGIC_FIRST_BYTE, at + 1)
  }
  return -1
}

const mustBeDurable = (record: RecordCursor, options: DamageCheckOptions): boolean => {
  if (record.storeTimestamp <= options.flushedTimestamp) {
    return true
  }
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  const state = options.queues.find(record.topic, record.queueId)
  return state !== undefined && state.queue.read(record.queueOffset, entry) && entry.position === record.physicalOffset
}
