/**
 * A unit of an extended consume queue: what a message has for filters and an entry of its queue has no room for. In the
 * place of its tags code that entry has the address of the unit: the unit's position plus -2^63.
 *
 * ```
 *    0      2                10               18     20
 *   +------+----------------+----------------+------+----------------+
 *   |length| tags code      | store time     |bytes | filter bits …  |
 *   +------+----------------+----------------+------+----------------+
 * ```
 *
 * The length is that of the whole unit, and `bytes` says how many of them are filter bits: 0 where nobody computes any.
 * Units stand one behind the other; four bytes of a file stay free, and a length of -1 says that the rest of it is.
 */

/** Length of a unit without filter bits, the shortest there is. */
export const LENGTH_MIN = 20
/** The length is a signed short. */
export const LENGTH_MAX = 0x7fff
export const LENGTH_OFFSET = 0
export const TAGS_CODE_OFFSET = 2
/** Store time of the record. */
export const STORE_TIMESTAMP_OFFSET = 10
export const BITS_LENGTH_OFFSET = 18
export const BITS_OFFSET = 20

/** In the place of a length: nothing follows in this file. */
export const END_MARK = -1
/** Bytes at the end of a file that stay free for that mark. */
export const END_LENGTH = 4
