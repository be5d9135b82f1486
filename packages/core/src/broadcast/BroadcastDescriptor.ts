/**
 * The memory of a broadcast buffer: records (see `ringbuffer/RecordDescriptor`) in a power of two of bytes, then a
 * trailer of three counters. All count bytes since the buffer was made.
 *
 * ```
 *  +---------------------------------------------------------------+
 *  |                 records (capacity, a power of two)            |
 *  +---------------------------------------------------------------+ capacity
 *  |  Tail intent (i64): where the tail will be; bytes below       |
 *  |                     intent - capacity are being overwritten   |
 *  +---------------------------------------------------------------+ + 8
 *  |  Tail (i64): end of the last record                           |
 *  +---------------------------------------------------------------+ + 16
 *  |  Latest (i64): start of the last record                       |
 *  +---------------------------------------------------------------+ + 24
 *  |                        (padding to 128)                       |
 *  +---------------------------------------------------------------+ + 128
 * ```
 */
import { isPowerOfTwo } from "../memory/Alignment.ts"
import { assert } from "../memory/Assert.ts"
import * as RecordDescriptor from "../ringbuffer/RecordDescriptor.ts"

export const TAIL_INTENT_OFFSET = 0
export const TAIL_OFFSET = 8
export const LATEST_OFFSET = 16
export const TRAILER_LENGTH = 128

/** The least capacity: in a smaller one the longest record would reach into the trailer. */
export const CAPACITY_MIN = 16

export const isValidLength = (length: number): boolean =>
  isPowerOfTwo(length - TRAILER_LENGTH) && length - TRAILER_LENGTH >= CAPACITY_MIN

/** Capacity in bytes of the broadcast buffer that fills `length` bytes. */
export const checkedCapacity = (length: number): number => {
  assert(isValidLength(length), "broadcast buffer length is not a power of two plus its trailer of 128 bytes")
  return length - TRAILER_LENGTH
}

export const maxMessageLength = (capacity: number): number => capacity >>> RecordDescriptor.MAX_MESSAGE_SHIFT
