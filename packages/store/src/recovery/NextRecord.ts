/**
 * Finds the next valid record behind a place of the log that holds none. Records carry no mark to look for but their
 * magic, which any body may hold as well: every place where its first byte stands is checked as a record of that place.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import { isZero } from "../mapped/ZeroBytes.ts"

const OPTIONS: RecordCheckOptions = { checkCrc: true, requireCrcProperty: false }
const MAGIC_FIRST_BYTE = RecordDescriptor.MAGIC_V1 >>> 24
/** Candidates looked at in one file: a body full of magic numbers must not make this endless. */
const CANDIDATES_MAX = 1_000_000
/** Longer than the longest record of the usual limits (4 MiB of body, 64 KiB of the rest). */
const ZERO_RUN_LENGTH = 8 * 1024 * 1024

/** Whether a valid record is one that is looked for. */
export type Accepts = (record: RecordCursor) => boolean

/** Length of the record at `offset` of a file, at which `cursor` then points; 0 or less where there is none. */
export const checkAt = (file: MappedFile, offset: number, cursor: RecordCursor): number =>
  RecordReader.read(file, offset, cursor, OPTIONS)

interface Search {
  readonly file: MappedFile
  readonly from: number
  readonly cursor: RecordCursor
  readonly accepts: Accepts
  /** Where the next magic number may begin. */
  next: number
  candidates: number
}

/**
 * Offset of the first accepted record of the file at or behind `from`, or -1. The search ends at a run of zeros that is
 * longer than any record: what is not written reads as zeros, and a gigabyte of it would fill the page cache.
 */
export const inFile = (file: MappedFile, from: number, cursor: RecordCursor, accepts: Accepts): number => {
  const search: Search = { file, from, cursor, accepts, next: from + RecordDescriptor.MAGIC_OFFSET, candidates: 0 }
  for (let start = from; start < file.length && search.candidates < CANDIDATES_MAX; start += ZERO_RUN_LENGTH) {
    const end = Math.min(file.length, start + ZERO_RUN_LENGTH)
    const window = file.read(start, end - start)
    if (end - start === ZERO_RUN_LENGTH && isZero(window.bytes, start - window.base, end - window.base)) {
      break
    }
    const found = searchRun(search, window, end)
    if (found >= 0) {
      return found
    }
  }
  return -1
}

const searchRun = (search: Search, { base, bytes }: FileWindow, end: number): number => {
  while (search.next < end && search.candidates < CANDIDATES_MAX) {
    const at = bytes.indexOf(MAGIC_FIRST_BYTE, search.next - base)
    if (at < 0 || at + base >= end) {
      search.next = end
      return -1
    }
    const offset = at + base - RecordDescriptor.MAGIC_OFFSET
    search.candidates++
    search.next = at + base + 1
    if (offset >= search.from && checkAt(search.file, offset, search.cursor) > 0) {
      if (search.accepts(search.cursor)) {
        return offset
      }
      search.next += search.cursor.totalSize
    }
  }
  return -1
}

/** Position of the first accepted record behind `position`: in its file, else in the files behind that. -1 for none. */
export const behind = (commitLog: CommitLog, position: number, cursor: RecordCursor, accepts: Accepts): number => {
  for (const file of commitLog.files.files) {
    if (file.fromOffset + file.length <= position) {
      continue
    }
    const offset = inFile(file, Math.max(0, position + 1 - file.fromOffset), cursor, accepts)
    if (offset >= 0) {
      return file.fromOffset + offset
    }
  }
  return -1
}
