/**
 * `struct mmsghdr` of 64-bit Linux, one after another in an array, and what each points to: a `struct iovec` and room
 * for control messages. Fields that musl has as 4 bytes where glibc has 8 are followed by zeros.
 *
 * ```
 *   0              8              16             24             32             40             48      52   56      60
 *  +--------------+--------------+--------------+--------------+--------------+--------------+-------+----+-------+----+
 *  | name         | name length  | iovec        | iovec count  | control      | control len. | flags |    | bytes |    |
 *  +--------------+--------------+--------------+--------------+--------------+--------------+-------+----+-------+----+
 * ```
 * A `struct iovec` is an address and a length, 8 bytes each. A control message is
 *
 * ```
 *   0              8        12       16
 *  +--------------+--------+--------+--------------------+
 *  | length       | level  | type   | data, padded to 8  |
 *  +--------------+--------+--------+--------------------+
 * ```
 */
export const LENGTH = 64
export const NAME_OFFSET = 0
export const NAME_LENGTH_OFFSET = 8
export const IOVEC_OFFSET = 16
export const IOVEC_COUNT_OFFSET = 24
export const CONTROL_OFFSET = 32
export const CONTROL_LENGTH_OFFSET = 40
export const FLAGS_OFFSET = 48
export const BYTES_OFFSET = 56

export const IOVEC_LENGTH = 16

/** One control message with up to 8 bytes of data. */
export const CMSG_SPACE = 24
export const CMSG_LENGTH_OFFSET = 0
export const CMSG_LEVEL_OFFSET = 8
export const CMSG_TYPE_OFFSET = 12
export const CMSG_DATA_OFFSET = 16
