/**
 * An entry of a consume queue: where one message of one queue stands in the commit log. Entry n is at byte 20 n.
 *
 * ```
 *    0                8        12               20
 *   +----------------+--------+----------------+
 *   | position       | length | tags code      |
 *   +----------------+--------+----------------+
 * ```
 *
 * The tags code is Java's hash of the tags (0 without tags); of a delayed message it is the time of delivery.
 * A queue that does not begin at 0 begins with fillers up to its first entry: position 0, length 2^31 - 1, code 0.
 */

/** Length of an entry. */
export const LENGTH = 20
export const POSITION_OFFSET = 0
export const SIZE_OFFSET = 8
export const TAGS_CODE_OFFSET = 12

export const FILLER_SIZE = 0x7fffffff

/** A tags code up to here is none: it is a place in an extended queue, where RocketMQ keeps what SQL filters ask for. */
export const EXTENSION_ADDRESS_MAX = -2147483649
