/**
 * An index file: a hash table from keys to places in the log. Big-endian; its name is the local time it was made at.
 *
 * ```
 *    0              8              16              24              32          36
 *   +--------------+--------------+---------------+---------------+-----------+-----------+
 *   | begin time   | end time     | begin position| end position  | used slots| entries+1 |
 *   +--------------+--------------+---------------+---------------+-----------+-----------+
 *    40: slots of 4 bytes, each the number of the newest entry of its chain, 0 for none
 *    40 + 4 slots: entries of 20 bytes; entry 0 is never used
 *   +-----------+---------------+-------------------+----------------+
 *   | key hash  | position (8)  | seconds since begin| previous entry |
 *   +-----------+---------------+-------------------+----------------+
 * ```
 */

/** Length of the part before the slots. */
export const HEADER_LENGTH = 40
export const BEGIN_TIMESTAMP_OFFSET = 0
export const END_TIMESTAMP_OFFSET = 8
export const BEGIN_POSITION_OFFSET = 16
export const END_POSITION_OFFSET = 24
export const SLOT_COUNT_OFFSET = 32
export const INDEX_COUNT_OFFSET = 36

export const SLOT_LENGTH = 4
export const ENTRY_LENGTH = 20
export const KEY_HASH_OFFSET = 0
export const POSITION_OFFSET = 4
export const TIME_DIFFERENCE_OFFSET = 12
export const PREVIOUS_OFFSET = 16

export const INVALID = 0

export const slotOffset = (slot: number): number => HEADER_LENGTH + SLOT_LENGTH * slot

export const entryOffset = (slotCount: number, entry: number): number =>
  HEADER_LENGTH + SLOT_LENGTH * slotCount + ENTRY_LENGTH * entry

export const fileLength = (slotCount: number, entryCount: number): number => entryOffset(slotCount, entryCount)
