/**
 * Looks at one record of a file of the log. Only as much of the file is asked for as the record says it has, once it has
 * said where it stands: a window of mapped memory costs nothing, but bytes that are read by position cost what they are.
 */
import type { MappedFile } from "../mapped/MappedFile.ts"
import * as RecordCheck from "./RecordCheck.ts"
import type { RecordCursor } from "./RecordCursor.ts"

/** Longer than the fixed fields of any record; most records are shorter as a whole. */
const FIRST_LENGTH = 4 * 1024

/** Checks what stands at `offset` of the file. On success `cursor` points at it. Answers as `RecordCheck.check`. */
export const read = (
  file: MappedFile,
  offset: number,
  cursor: RecordCursor,
  options: RecordCheck.RecordCheckOptions
): number => {
  const { fromOffset, length } = file
  const position = fromOffset + offset
  let window = file.read(offset, Math.min(length - offset, FIRST_LENGTH))
  const shown = window.base + window.bytes.length - offset
  if (shown < length - offset) {
    const needed = RecordCheck.lengthAt(window, offset, length, position)
    if (needed > shown) {
      window = file.read(offset, needed)
    }
  }
  return RecordCheck.check(window, offset, length, position, cursor, options)
}
