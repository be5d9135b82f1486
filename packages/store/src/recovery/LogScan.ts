/**
 * Reads the log record by record from a position to the first place that holds none, in slices: it yields after so many
 * bytes, so that whoever drives it can let others run.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"

const SLICE_LENGTH = 4 * 1024 * 1024

export interface LogScanResult {
  /** Position behind the last valid record; a blank behind it does not count. */
  readonly end: number
  /** Position where the scan stopped, behind a blank that counts for nothing more. */
  readonly stoppedAt: number
  /** Why: a code of `RecordCheck`. */
  readonly code: number
  readonly recordCount: number
  /** Store time of the last valid record, 0 where there was none. */
  readonly lastStoreTimestamp: number
}

export type Visit = (record: RecordCursor, position: number) => void

export interface ScanBounds {
  /** What begins at or behind this position does not count. */
  readonly limit?: number
  /** Why a record that is valid by itself cannot be true: a code of `RecordCheck`, 0 where it can. */
  readonly problemOf?: (record: RecordCursor) => number
}

/** Reads on from `from`. */
export function* scan(
  commitLog: CommitLog,
  from: number,
  options: RecordCheck.RecordCheckOptions,
  visit: Visit,
  { limit = Number.POSITIVE_INFINITY, problemOf }: ScanBounds = {}
): Generator<number, LogScanResult> {
  const cursor = new RecordCursor()
  let position = from
  let end = from
  let recordCount = 0
  let lastStoreTimestamp = 0
  let code = RecordCheck.NO_ROOM
  let nextYield = position + SLICE_LENGTH
  for (let file = commitLog.files.find(position); file !== undefined; file = commitLog.files.find(position)) {
    if (position >= limit) {
      code = RecordCheck.NO_ROOM
      break
    }
    const offset = position - file.fromOffset
    code = RecordReader.read(file, offset, cursor, options)
    if (code === RecordCheck.BLANK) {
      position = file.fromOffset + file.length
      continue
    }
    if (code > 0 && problemOf !== undefined) {
      code = problemOf(cursor) || code
    }
    if (code < 0) {
      break
    }
    visit(cursor, position)
    recordCount++
    lastStoreTimestamp = cursor.storeTimestamp
    position += code
    end = position
    if (position >= nextYield) {
      nextYield = position + SLICE_LENGTH
      yield position
    }
  }
  return { end, stoppedAt: position, code, recordCount, lastStoreTimestamp }
}
