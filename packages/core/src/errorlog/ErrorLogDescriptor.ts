/**
 * A record of the error log: one distinct error with how often and when it was seen. Records follow one another,
 * aligned to 8 bytes; a length of 0 ends the log.
 *
 * ```
 *  +---------------------------------------------------------------+ 0
 *  |  Length (i32): 24 + text, stored last                         |
 *  +---------------------------------------------------------------+ 4
 *  |  Observation count (i32)                                      |
 *  +---------------------------------------------------------------+ 8
 *  |  Last observation, epoch ms (i64)                             |
 *  +---------------------------------------------------------------+ 16
 *  |  First observation, epoch ms (i64)                            |
 *  +---------------------------------------------------------------+ 24
 *  |  Text (UTF-8)                                                ...
 * ```
 */
export const LENGTH_OFFSET = 0
export const OBSERVATION_COUNT_OFFSET = 4
export const LAST_OBSERVATION_OFFSET = 8
export const FIRST_OBSERVATION_OFFSET = 16
export const TEXT_OFFSET = 24
export const RECORD_ALIGNMENT = 8
