/**
 * An entry of a batch consume queue: where the messages of one inner batch stand in the commit log.
 *
 * ```
 *    0                8        12               20               28               36     38       42       46
 *   +----------------+--------+----------------+----------------+----------------+------+--------+--------+
 *   | position       | length | tags code      | store time     | base offset    |count |compact |reserved|
 *   +----------------+--------+----------------+----------------+----------------+------+--------+--------+
 * ```
 *
 * An entry stands for `count` messages, the first of which has the base offset. There are no fillers. The place in a
 * compacted log is -1 where there is none, and what is reserved is 0.
 */

/** Length of an entry. */
export const LENGTH = 46
export const POSITION_OFFSET = 0
export const SIZE_OFFSET = 8
export const TAGS_CODE_OFFSET = 12
export const STORE_TIMESTAMP_OFFSET = 20
/** Queue offset of the first message of the batch. */
export const BASE_OFFSET_OFFSET = 28
export const COUNT_OFFSET = 36
export const COMPACTED_OFFSET_OFFSET = 38
export const RESERVED_OFFSET = 42

export const NOT_COMPACTED = -1
/** The count is a signed short. */
export const COUNT_MAX = 32767
