/**
 * An entry of the loss report: the loss that one stream from one source has seen. Entries follow one another, aligned
 * to 64 bytes; an observation count of 0 ends the report. The source's length follows the channel, aligned to 4.
 *
 * ```
 *  +---------------------------------------------------------------+ 0
 *  |  Observation count (i64), stored last                         |
 *  +---------------------------------------------------------------+ 8
 *  |  Total bytes lost (i64)                                       |
 *  +---------------------------------------------------------------+ 16
 *  |  First observation, epoch ms (i64)                            |
 *  +---------------------------------------------------------------+ 24
 *  |  Last observation, epoch ms (i64)                             |
 *  +---------------------------------------------------------------+ 32
 *  |  Session id (i32)                                             |
 *  +---------------------------------------------------------------+ 36
 *  |  Stream id (i32)                                              |
 *  +---------------------------------------------------------------+ 40
 *  |  Channel length (i32)                                         |
 *  +---------------------------------------------------------------+ 44
 *  |  Channel (ASCII), padded to 4 bytes                          ...
 *  +---------------------------------------------------------------+
 *  |  Source length (i32)                                          |
 *  +---------------------------------------------------------------+
 *  |  Source (ASCII)                                              ...
 * ```
 */
import { align } from "../memory/Alignment.ts"

export const OBSERVATION_COUNT_OFFSET = 0
export const TOTAL_BYTES_LOST_OFFSET = 8
export const FIRST_OBSERVATION_OFFSET = 16
export const LAST_OBSERVATION_OFFSET = 24
export const SESSION_ID_OFFSET = 32
export const STREAM_ID_OFFSET = 36
export const CHANNEL_OFFSET = 40
export const ENTRY_ALIGNMENT = 64

/** Length of a text's own length field. */
export const TEXT_LENGTH_LENGTH = 4

/** The channel is padded to a multiple of this, so that the source's length is aligned. */
export const TEXT_ALIGNMENT = 4

/** Offset of the source's length within an entry whose channel is `channelLength` bytes long. */
export const sourceOffset = (channelLength: number): number =>
  CHANNEL_OFFSET + TEXT_LENGTH_LENGTH + align(channelLength, TEXT_ALIGNMENT)

/** Length of an entry without the padding behind it. */
export const entryLength = (channelLength: number, sourceLength: number): number =>
  sourceOffset(channelLength) + TEXT_LENGTH_LENGTH + sourceLength
