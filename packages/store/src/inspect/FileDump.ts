/** Reads a file of a store part by part, whatever state it is in. Each generator gives one line a part. */
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import * as BatchEntry from "../consumequeue/BatchEntryDescriptor.ts"
import * as ConsumeQueueExt from "../consumequeue/ConsumeQueueExt.ts"
import * as EntryDescriptor from "../consumequeue/EntryDescriptor.ts"
import * as ExtAddress from "../consumequeue/ExtAddress.ts"
import * as ExtUnit from "../consumequeue/ExtUnitDescriptor.ts"
import { getInt64 } from "../mapped/BigEndian.ts"
import type { StoreFile } from "../mapped/FileSystem.ts"
import { MappedFile } from "../mapped/MappedFile.ts"
import * as NextRecord from "../recovery/NextRecord.ts"
import type { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import type { IndexFileView } from "./IndexWalk.ts"

const CHECK: RecordCheckOptions = { checkCrc: true, requireCrcProperty: false }

export type DumpLine = Readonly<Record<string, unknown>>

/** Describes a record; the surface decides how. */
export type Describe = (record: RecordCursor) => DumpLine

/** Records, blanks, and stretches that are neither. */
export function* log(file: StoreFile, fromOffset: number, describe: Describe): Generator<DumpLine, void> {
  const mapped = new MappedFile(file, fromOffset, 0, 0)
  const cursor = new RecordCursor()
  let offset = 0
  while (offset < file.length) {
    const code = RecordReader.read(mapped, offset, cursor, CHECK)
    const position = fromOffset + offset
    if (code > 0) {
      yield { kind: "record", ...describe(cursor) }
      offset += code
    } else if (code === RecordCheck.BLANK) {
      yield { kind: "blank", position, length: file.length - offset }
      return
    } else {
      const next = NextRecord.inFile(mapped, offset + 1, cursor, () => true)
      const end = next < 0 ? file.length : next
      yield { kind: "no record", position, length: end - offset, reason: RecordCheck.reasonOf(code) }
      offset = end
    }
  }
}

/** Entries up to the first that was never written; fillers in a row are one line. */
export function* queue(file: StoreFile, fromOffset: number): Generator<DumpLine, void> {
  let fillers = 0
  const first = fromOffset / EntryDescriptor.LENGTH
  const count = Math.floor(file.length / EntryDescriptor.LENGTH)
  for (let index = 0; index < count; index++) {
    const { at, view } = windowOf(file, index * EntryDescriptor.LENGTH, EntryDescriptor.LENGTH)
    const position = getInt64(view, at + EntryDescriptor.POSITION_OFFSET)
    const size = view.getInt32(at + EntryDescriptor.SIZE_OFFSET)
    const isFiller = position === 0 && size === EntryDescriptor.FILLER_SIZE
    if (fillers > 0 && !isFiller) {
      yield { kind: "fillers", queueOffset: first + index - fillers, count: fillers }
      fillers = 0
    }
    if (size <= 0 || position < 0) {
      yield { kind: "not written", queueOffset: first + index, count: count - index }
      return
    }
    if (isFiller) {
      fillers++
    } else {
      const tagsAt = at + EntryDescriptor.TAGS_CODE_OFFSET
      const unitPosition = ExtAddress.read(view, tagsAt)
      const tags = unitPosition < 0 ? { tagsCode: getInt64(view, tagsAt) } : { unitPosition }
      yield { kind: "entry", queueOffset: first + index, position, size, ...tags }
    }
  }
  if (fillers > 0) {
    yield { kind: "fillers", queueOffset: first + count - fillers, count: fillers }
  }
}

/** Units up to the end of what is written, or to the mark that says that the rest of the file is free. */
export function* extendedQueue(file: StoreFile, fromOffset: number): Generator<DumpLine, void> {
  const unit = ConsumeQueueExt.makeUnit()
  let offset = 0
  while (offset + ExtUnit.END_LENGTH <= file.length) {
    const { at, view } = windowOf(file, offset, 2)
    const length = view.getInt16(at + ExtUnit.LENGTH_OFFSET)
    const position = fromOffset + offset
    if (length === ExtUnit.END_MARK) {
      yield { kind: "end", position, length: file.length - offset }
      return
    }
    const isWithin = length >= ExtUnit.LENGTH_MIN && offset + length <= file.length
    if (!isWithin || !ConsumeQueueExt.decode(file.read(offset, length), offset, length, unit)) {
      yield { kind: length === 0 ? "not written" : "no unit", position, length: file.length - offset }
      return
    }
    const bits = Array.from(unit.bits, (byte) => byte.toString(16).padStart(2, "0")).join("")
    yield { kind: "unit", position, size: length, tagsCode: unit.tagsCode, storeTimestamp: unit.storeTimestamp, bits }
    offset += length
  }
}

export function* batchQueue(file: StoreFile): Generator<DumpLine, void> {
  for (let offset = 0; offset + BatchEntry.LENGTH <= file.length; offset += BatchEntry.LENGTH) {
    const { at, view } = windowOf(file, offset, BatchEntry.LENGTH)
    const size = view.getInt32(at + BatchEntry.SIZE_OFFSET)
    if (size <= 0) {
      return
    }
    yield {
      kind: "batch entry",
      position: getInt64(view, at + BatchEntry.POSITION_OFFSET),
      size,
      tagsCode: getInt64(view, at + BatchEntry.TAGS_CODE_OFFSET),
      storeTimestamp: getInt64(view, at + BatchEntry.STORE_TIMESTAMP_OFFSET),
      queueOffset: getInt64(view, at + BatchEntry.BASE_OFFSET_OFFSET),
      count: view.getInt16(at + BatchEntry.COUNT_OFFSET)
    }
  }
}

/** The header, then the entries from the oldest to the newest. */
export function* index(view: IndexFileView): Generator<DumpLine, void> {
  const { beginPosition, beginTimestamp, endPosition, endTimestamp, entryCount, slotCount, usedSlots } = view
  yield {
    kind: "header",
    beginTimestamp,
    endTimestamp,
    beginPosition,
    endPosition,
    slotCount,
    usedSlots,
    entryCount,
    entries: view.indexCount - 1
  }
  for (let entry = 1; entry < view.indexCount; entry++) {
    const { keyHash, position, previous, timestamp } = view.entryAt(entry)
    yield { kind: "entry", entry, keyHash, slot: keyHash % slotCount, position, timestamp, previous }
  }
}

export function* checkpoint(file: StoreCheckpoint): Generator<DumpLine, void> {
  const { confirmPhyOffset, indexMsgTimestamp, logicsMsgTimestamp, masterFlushedOffset, minTimestamp } = file
  const { physicMsgTimestamp } = file
  yield {
    kind: "checkpoint",
    physicMsgTimestamp,
    logicsMsgTimestamp,
    indexMsgTimestamp,
    masterFlushedOffset,
    confirmPhyOffset,
    minTimestamp
  }
}

const windowOf = (
  file: StoreFile,
  offset: number,
  length: number
): { readonly view: DataView; readonly at: number } => {
  const { base, view } = file.read(offset, length)
  return { view, at: offset - base }
}
