/**
 * The memory of a ring buffer: records in a power of two of bytes, then a trailer of positions, each alone on a pair
 * of cache lines so that producers and the consumer do not fight for one.
 *
 * ```
 *  +---------------------------------------------------------------+
 *  |                 records (capacity, a power of two)            |
 *  +---------------------------------------------------------------+ capacity
 *  |                        (padding 128)                          |
 *  +---------------------------------------------------------------+ + 128
 *  |  Tail position (i64): bytes claimed by producers              |
 *  +---------------------------------------------------------------+ + 256
 *  |  Head cache position (i64): a head the producers saw lately   |
 *  +---------------------------------------------------------------+ + 384
 *  |  Head position (i64): bytes consumed                          |
 *  +---------------------------------------------------------------+ + 512
 *  |  Correlation counter (i64): the next id                       |
 *  +---------------------------------------------------------------+ + 640
 *  |  Consumer heartbeat (i64): epoch ms, -1 once it has ended     |
 *  +---------------------------------------------------------------+ + 768
 * ```
 */
import { isPowerOfTwo } from "../memory/Alignment.ts"
import { assert } from "../memory/Assert.ts"
import * as RecordDescriptor from "./RecordDescriptor.ts"

export const TAIL_POSITION_OFFSET = 128
export const HEAD_CACHE_POSITION_OFFSET = 256
export const HEAD_POSITION_OFFSET = 384
export const CORRELATION_COUNTER_OFFSET = 512
export const CONSUMER_HEARTBEAT_OFFSET = 640
export const TRAILER_LENGTH = 768

/** Result of a claim that found no room: nothing was claimed, though the end of the buffer may have been padded. */
export const INSUFFICIENT_CAPACITY = -2

/** Whether a region of `length` bytes can hold a ring buffer of at least `capacityMin` bytes of records. */
export const isValidLength = (length: number, capacityMin: number): boolean =>
  isPowerOfTwo(length - TRAILER_LENGTH) && length - TRAILER_LENGTH >= capacityMin

/** Capacity in bytes of the ring that fills `length` bytes. */
export const checkedCapacity = (length: number, capacityMin: number): number => {
  assert(isValidLength(length, capacityMin), "ring buffer length is not a power of two plus its trailer of 768 bytes")
  return length - TRAILER_LENGTH
}

/** The longest message of a ring: an eighth of it, but at least 8 bytes; none at all in a ring of the least size. */
export const maxMessageLength = (capacity: number, capacityMin: number): number =>
  capacity === capacityMin
    ? 0
    : Math.max(RecordDescriptor.HEADER_LENGTH, capacity >>> RecordDescriptor.MAX_MESSAGE_SHIFT)
