/**
 * Counters live in two regions, one record a counter id in each: values, which change all the time, and metadata,
 * which says what they are. A record is found by its id alone.
 *
 * ```
 *  values record, 128 bytes                 metadata record, 512 bytes
 *  +-----------------------------+ 0        +-----------------------------+ 0
 *  |  Value (i64)                |          |  State (i32)                |
 *  +-----------------------------+ 8        +-----------------------------+ 4
 *  |  Registration id (i64)      |          |  Type id (i32)              |
 *  +-----------------------------+ 16       +-----------------------------+ 8
 *  |  Owner id (i64)             |          |  Free for reuse at ms (i64) |
 *  +-----------------------------+ 24       +-----------------------------+ 16
 *  |  Reference id (i64)         |          |  Key (112 bytes)            |
 *  +-----------------------------+ 32       +-----------------------------+ 128
 *  |  (padding)                  |          |  Label length (i32)         |
 *  +-----------------------------+ 128      +-----------------------------+ 132
 *                                           |  Label (380 bytes, UTF-8)   |
 *                                           +-----------------------------+ 512
 * ```
 *
 * A state goes from unused to allocated, then between reclaimed and allocated. It is stored last, so that a reader who
 * sees `allocated` sees the rest; the first unused record ends the list.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assert } from "../memory/Assert.ts"

export const VALUE_OFFSET = 0
export const REGISTRATION_ID_OFFSET = 8
export const OWNER_ID_OFFSET = 16
export const REFERENCE_ID_OFFSET = 24
export const VALUE_RECORD_LENGTH = 128

export const STATE_OFFSET = 0
export const TYPE_ID_OFFSET = 4
export const FREE_FOR_REUSE_DEADLINE_OFFSET = 8
export const KEY_OFFSET = 16
export const KEY_LENGTH_MAX = 112
export const LABEL_LENGTH_OFFSET = 128
export const LABEL_OFFSET = 132
export const LABEL_LENGTH_MAX = 380
export const METADATA_RECORD_LENGTH = 512

export const RECORD_UNUSED = 0
export const RECORD_ALLOCATED = 1
export const RECORD_RECLAIMED = -1

/** The deadline of a counter in use. */
export const NOT_FREE_TO_REUSE = 0x7fffffffffffffffn

/** The id of no counter: nothing found, or no room. */
export const NULL_COUNTER_ID = -1

/** How long a freed counter stays away, so that slow readers do not take the next one for it. */
export const FREE_TO_REUSE_TIMEOUT_MS_DEFAULT = 1000

/** Metadata bytes for each byte of values. */
export const METADATA_TO_VALUES_RATIO = METADATA_RECORD_LENGTH / VALUE_RECORD_LENGTH

export const valueOffset = (counterId: number): number => counterId * VALUE_RECORD_LENGTH

export const metadataOffset = (counterId: number): number => counterId * METADATA_RECORD_LENGTH

/** How many counters both regions have room for. */
export const capacity = (metadata: AtomicBuffer, values: AtomicBuffer): number => {
  assert(
    metadata.length >= values.length * METADATA_TO_VALUES_RATIO,
    "counters metadata is shorter than four times the values"
  )
  return Math.floor(values.length / VALUE_RECORD_LENGTH)
}
