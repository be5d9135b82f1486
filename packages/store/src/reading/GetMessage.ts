/**
 * Reads messages of one queue by offset. What counts as an answer, and where to go on, is RocketMQ's: see the statuses.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import { type ConsumeQueue, isFiller, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import type { TagFilter } from "./TagFilter.ts"

export type GetStatus =
  | "FOUND"
  /** Entries were read, none of them matched the filter. */
  | "NO_MATCHED_MESSAGE"
  /** The records of the entries that were read have been cleaned away. */
  | "MESSAGE_WAS_REMOVING"
  | "OFFSET_FOUND_NULL"
  | "OFFSET_OVERFLOW_BADLY"
  /** The offset is the next one that will be written. */
  | "OFFSET_OVERFLOW_ONE"
  | "OFFSET_TOO_SMALL"
  | "NO_MATCHED_LOGIC_QUEUE"
  | "NO_MESSAGE_IN_QUEUE"
  | "OFFSET_RESET"

export interface GetLimits {
  readonly countMax: number
  /** Bytes of records; the first one is read whatever its length. */
  readonly bytesMax: number
}

export interface GetOutcome {
  status: GetStatus
  nextOffset: number
  minOffset: number
  maxOffset: number
  bytes: number
  count: number
}

/** Called for each message found. The cursor is only borrowed. */
export type OnRecord = (record: RecordCursor, queueOffset: number, position: number) => void

/** What a reader asks of messages beside their tags. */
export interface RecordFilter {
  /** By what the queue has of a message: its tags code (undefined where only the record has it), and the bits of its unit. */
  hasEntry(tagsCode: number | undefined, bits: Uint8Array): boolean
  /** The cursor is only borrowed. */
  hasRecord(record: RecordCursor): boolean
}

/** Entries looked at in one call: a rare tag does not make one call read a whole queue. */
const SCAN_ENTRIES_MIN = 800
/** Entries whose memory is asked for at a time: to look for the file of each took as long as to decode it. */
const ENTRIES_READ = 64

const NO_CRC: RecordCheck.RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }
const cursor = new RecordCursor()
const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }

export const get = (
  commitLog: CommitLog,
  queue: ConsumeQueue | undefined,
  offset: number,
  limits: GetLimits,
  filter: TagFilter | undefined,
  onRecord: OnRecord,
  further?: RecordFilter
): GetOutcome => {
  const minOffset = queue?.minOffset ?? 0
  const maxOffset = queue?.maxOffset ?? 0
  const outcome: GetOutcome = { status: "FOUND", nextOffset: offset, minOffset, maxOffset, bytes: 0, count: 0 }
  if (queue === undefined || maxOffset === 0) {
    outcome.status = "NO_MESSAGE_IN_QUEUE"
    outcome.nextOffset = 0
  } else if (offset < minOffset) {
    outcome.status = "OFFSET_TOO_SMALL"
    outcome.nextOffset = minOffset
  } else if (offset === maxOffset) {
    outcome.status = "OFFSET_OVERFLOW_ONE"
  } else if (offset > maxOffset) {
    outcome.status = "OFFSET_OVERFLOW_BADLY"
    outcome.nextOffset = maxOffset
  } else {
    scan(commitLog, queue, limits, filter, onRecord, outcome, further)
  }
  return outcome
}

const scan = (
  commitLog: CommitLog,
  queue: ConsumeQueue,
  limits: GetLimits,
  filter: TagFilter | undefined,
  onRecord: OnRecord,
  outcome: GetOutcome,
  further: RecordFilter | undefined
): void => {
  const { entryLength } = queue
  const { readableEnd } = commitLog
  let slot = queue.slotOf(outcome.nextOffset)
  const end = scanEnd(queue, slot, limits.countMax)
  const file = queue.files.find(slot * entryLength)
  if (file === undefined) {
    outcome.status = "OFFSET_FOUND_NULL"
    outcome.nextOffset = queue.offsetOf(queue.nextFileSlot(slot))
    return
  }
  outcome.status = "NO_MATCHED_MESSAGE"
  let entries: FileWindow | undefined = undefined
  for (let shown = slot; slot < end && outcome.count < limits.countMax; slot++) {
    const at = slot * entryLength - file.fromOffset
    if (entries === undefined || slot === shown) {
      shown = Math.min(end, slot + ENTRIES_READ)
      entries = file.read(at, (shown - slot) * entryLength)
    }
    queue.decode(entries, at, entry)
    const offset = queue.offsetOf(slot)
    const endOffset = queue.endOf(slot)
    // A filler has no record: its size must not count, nor its position be taken for one.
    const isRecord = !isFiller(entry)
    const isTooMuch =
      outcome.bytes + entry.size > limits.bytesMax || outcome.count + endOffset - offset > limits.countMax
    if (isRecord && outcome.count > 0 && isTooMuch) {
      return
    }
    const isFiltered = filter !== undefined || (further !== undefined && isRecord)
    const code = isFiltered ? queue.tagsCodeOf(slot, entry) : undefined
    const isTagged = filter === undefined || code === undefined || filter.codes.has(code)
    if (!isTagged || (isRecord && further?.hasEntry(code, queue.bitsOf(slot, entry)) === false)) {
      outcome.nextOffset = endOffset
      continue
    }
    if (isRecord && entry.position >= readableEnd) {
      // The record is not there yet: this ends the queue for now.
      outcome.status = outcome.count > 0 ? "FOUND" : "OFFSET_OVERFLOW_ONE"
      return
    }
    if (!isRecord || !wrapRecord(commitLog, entry)) {
      if (outcome.count === 0) {
        outcome.status = "MESSAGE_WAS_REMOVING"
      }
      outcome.nextOffset = endOffset
      continue
    }
    outcome.nextOffset = endOffset
    // Where the entry has its code elsewhere and that is gone, the record itself is asked.
    const hasCode = filter === undefined || code !== undefined || filter.codes.has(cursor.tagsHash())
    const hasTags = hasCode && (filter?.tags === undefined || filter.tags.has(cursor.tags ?? ""))
    if (hasTags && further?.hasRecord(cursor) !== false) {
      outcome.status = "FOUND"
      outcome.count += endOffset - offset
      outcome.bytes += entry.size
      onRecord(cursor, offset, entry.position)
    }
  }
}

/** A call stays within one file of the queue. */
const scanEnd = (queue: ConsumeQueue, slot: number, countMax: number): number =>
  Math.min(queue.endSlot, queue.nextFileSlot(slot), slot + Math.max(SCAN_ENTRIES_MIN, countMax))

/** Points the cursor at the record of an entry. False where it is no longer (or not) there. */
const wrapRecord = (commitLog: CommitLog, { position, size }: QueueEntry): boolean => {
  const file = commitLog.files.find(position)
  if (file === undefined || position < file.fromOffset) {
    return false
  }
  const offset = position - file.fromOffset
  if (offset + size > file.length) {
    return false
  }
  const window = file.read(offset, size)
  return RecordCheck.check(window, offset, offset + size, position, cursor, NO_CRC) === size
}
