/**
 * How a log is shared without a driver: what a driver keeps in its counters file lies in the part of the metadata page
 * that Aeron leaves empty. The file stays one that Aeron's tools can read.
 *
 * ```
 *   the metadata page, from 1024 on
 *   1024 |               publishers' limit position                                     |
 *   1032 |               keeper's heartbeat (ms, monotonic), 0 before the first         |
 *   1040   0 (to 1087)
 *   1088   reader 0
 *   1152   reader 1
 *   ...
 *   3072   reader 31
 *   3136   0 (to 4095)
 *
 *   a reader, 64 bytes
 *      0 |         owner count << 2 | state    |  0                                     |
 *      8 |               position, up to which the log may be cleaned                  |
 *     16 |               heartbeat (ms, monotonic)                                     |
 *     24   0 (to 63)
 * ```
 */
import { assert } from "../memory/Assert.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"

export const LIMIT_OFFSET = 1024
export const KEEPER_HEARTBEAT_OFFSET = 1032
export const READERS_OFFSET = 1088
export const READER_LENGTH = 64
/** How many readers one log has at most at a time. */
export const READERS_MAX = 32

export const STATE_OFFSET = 0
export const POSITION_OFFSET = 8
export const HEARTBEAT_OFFSET = 16

// The states. They share a word with a count of the place's owners, so that one comparison says whose it is in which state.
/** Nobody's. */
export const FREE = 0
/** A reader asks to be let in. Becomes ACTIVE by the keeper. */
export const REQUESTED = 1
/** Its position holds the keeper's cleaning and the publishers' limit back. */
export const ACTIVE = 2
/** Its reader is gone. Becomes FREE by the keeper. */
export const LEAVING = 3

assert(LIMIT_OFFSET >= LogBufferDescriptor.METADATA_USED_LENGTH, "sharing begins behind what Aeron uses of the page")
assert(
  READERS_OFFSET + READERS_MAX * READER_LENGTH <= LogBufferDescriptor.METADATA_LENGTH,
  "all readers fit the metadata page"
)

export const readerOffset = (reader: number): number => READERS_OFFSET + reader * READER_LENGTH

const STATE_MASK = 3

export const stateOf = (word: number): number => word & STATE_MASK

/** The same owner's word in another state. */
export const withState = (word: number, state: number): number => (word & ~STATE_MASK) | state

/** The word of the next owner, who asks to be let in. */
export const nextOwner = (word: number): number => withState((word + STATE_MASK + 1) | 0, REQUESTED)
