/**
 * A record of a ring buffer or a broadcast buffer. Its length includes the header; records are aligned to 8 bytes.
 *
 * ```
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                            Length (i32)                       |
 *  +---------------------------------------------------------------+
 *  |                            Type   (i32)                       |
 *  +---------------------------------------------------------------+
 *  |                            Message                           ...
 * ...                                                              |
 *  +---------------------------------------------------------------+
 * ```
 *
 * In a ring the length is negative while the record is being written, and zero where nothing was claimed yet.
 */
import { assert } from "../memory/Assert.ts"

export const LENGTH_OFFSET = 0
export const TYPE_OFFSET = 4
export const HEADER_LENGTH = 8
export const ALIGNMENT = HEADER_LENGTH

/** The type of a record that carries nothing: the rest of the buffer before a wrap, or an abandoned claim. */
export const PADDING_TYPE_ID = -1

/** The largest message is an eighth of the buffer, so that a few claims never fill it. */
export const MAX_MESSAGE_SHIFT = 3

/** Index of the record's length in the 32-bit view. */
export const lengthIndex = (recordOffset: number): number => (recordOffset + LENGTH_OFFSET) >>> 2

/** Index of the record's type in the 32-bit view. */
export const typeIndex = (recordOffset: number): number => (recordOffset + TYPE_OFFSET) >>> 2

export const messageOffset = (recordOffset: number): number => recordOffset + HEADER_LENGTH

/** Length that a record of `recordLength` bytes takes in the buffer. Lengths are below 2^30: the mask is exact. */
export const alignedLength = (recordLength: number): number => (recordLength + (ALIGNMENT - 1)) & ~(ALIGNMENT - 1)

export const checkTypeId = (typeId: number): void => {
  assert(Number.isInteger(typeId) && typeId > 0 && typeId <= 0x7fffffff, "message type id is not a positive int32")
}
