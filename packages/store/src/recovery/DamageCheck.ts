/**
 * Tells a torn tail from damage. A crash leaves the last records of the log unfinished, and those are cut. But where a
 * valid record that must have been on the device stands behind a bad one, something else has happened to the bad one,
 * and cutting there would throw good messages away.
 *
 * A valid record behind counts when its store time says that it was durable: any time where the page cache has lived on
 * (a clean exit, a killed process), that of the checkpoint after a power failure, which may keep a later sector and lose
 * an earlier one. Within the file it must also have its queue entry, or lie within the checkpoint's time: the bytes of a
 * body may look like a record. Records that an earlier recovery cut but left in place have older store times than what
 * stands before the bad place, and are told apart by that.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import type { QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import { isZero } from "../mapped/ZeroBytes.ts"

const OPTIONS: RecordCheckOptions = { checkCrc: true, requireCrcProperty: false }
const MAGIC_FIRST_BYTE = RecordDescriptor.MAGIC_V1 >>> 24
/** Candidates looked at in one file: a body full of magic numbers must not make this endless. */
const CANDIDATES_MAX = 1_000_000
/** Longer than the longest record of the usual limits (4 MiB of body, 64 KiB of the rest). */
const ZERO_RUN_LENGTH = 8 * 1024 * 1024

export interface DamageCheckOptions {
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  /** Store time up to which records must be on the device. */
  readonly durableTimestamp: number
  /** Store time up to which the checkpoint says that the log was flushed. */
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
    if (later.fromOffset > position && checkAt(later, 0, cursor) > 0 && mustBeDurable(cursor, options)) {
      return later.fromOffset
    }
  }
  const searched = searchFile(file, position - file.fromOffset + 1, cursor, options)
  return searched >= 0 ? searched : searchQueues(position, cursor, options)
}

/** A valid record behind `position` that the end of some queue points to. */
const searchQueues = (position: number, cursor: RecordCursor, options: DamageCheckOptions): number => {
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  for (const { queue } of options.queues.all()) {
    for (let offset = queue.maxOffset - 1; queue.read(offset, entry) && entry.position > position; offset--) {
      const file = options.commitLog.files.find(entry.position)
      const isValid = file !== undefined && checkAt(file, entry.position - file.fromOffset, cursor) > 0
      if (isValid && cursor.queueOffset === offset && mustBeDurable(cursor, options)) {
        return entry.position
      }
    }
  }
  return -1
}

const checkAt = (file: MappedFile, offset: number, cursor: RecordCursor): number =>
  RecordReader.read(file, offset, cursor, OPTIONS)

const mustBeDurable = (record: RecordCursor, options: DamageCheckOptions): boolean =>
  record.storeTimestamp >= options.lastStoreTimestamp && record.storeTimestamp <= options.durableTimestamp

/**
 * The written part of a file ends before the first run of zeros that is longer than any record. What is not written reads
 * as zeros, and looking through a gigabyte of it would bring it all into the page cache; a record behind such a run is
 * found by its queue entry.
 */
const searchFile = (file: MappedFile, from: number, cursor: RecordCursor, options: DamageCheckOptions): number => {
  const search: Search = { from, next: from + RecordDescriptor.MAGIC_OFFSET, candidates: 0 }
  for (let start = from; start < file.length && search.candidates < CANDIDATES_MAX; start += ZERO_RUN_LENGTH) {
    const end = Math.min(file.length, start + ZERO_RUN_LENGTH)
    const window = file.read(start, end - start)
    if (end - start === ZERO_RUN_LENGTH && isZero(window.bytes, start - window.base, end - window.base)) {
      break
    }
    const found = searchRun(file, window, end, search, cursor, options)
    if (found >= 0) {
      return file.fromOffset + found
    }
  }
  return -1
}

interface Search {
  readonly from: number
  /** Where the next magic number may begin. */
  next: number
  candidates: number
}

const searchRun = (
  file: MappedFile,
  { base, bytes }: FileWindow,
  end: number,
  search: Search,
  cursor: RecordCursor,
  options: DamageCheckOptions
): number => {
  while (search.next < end && search.candidates < CANDIDATES_MAX) {
    const at = bytes.indexOf(MAGIC_FIRST_BYTE, search.next - base)
    if (at < 0 || at + base >= end) {
      search.next = end
      return -1
    }
    const offset = at + base - RecordDescriptor.MAGIC_OFFSET
    search.candidates++
    search.next = at + base + 1
    if (offset >= search.from && checkAt(file, offset, cursor) > 0) {
      if (mustBeDurable(cursor, options) && isKnown(cursor, options)) {
        return offset
      }
      search.next += cursor.totalSize
    }
  }
  return -1
}

/** Whether something outside the log speaks for the record: the checkpoint, or the entry of its queue. */
const isKnown = (record: RecordCursor, options: DamageCheckOptions): boolean => {
  if (record.storeTimestamp <= options.flushedTimestamp) {
    return true
  }
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  const state = options.queues.find(record.topic, record.queueId)
  return state !== undefined && state.queue.read(record.queueOffset, entry) && entry.position === record.physicalOffset
}
