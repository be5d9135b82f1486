/**
 * The record of the commit log. All fields are big-endian; `h` is 8 for an IPv4 host (4 bytes, then an int port) and 20
 * for an IPv6 one. Version 2 differs in the magic and in a topic length of two bytes instead of one.
 *
 * ```
 *    0        4        8        12       16       20               28               36       40
 *   +--------+--------+--------+--------+--------+----------------+----------------+--------+
 *   | total  | magic  |body CRC|queue id| flag   | queue offset   |physical offset |sys flag|
 *   +--------+--------+--------+--------+--------+----------------+----------------+--------+
 *    40               48             48+h             56+h            56+2h     60+2h
 *   +----------------+----- … ------+----------------+----- … -------+---------+---------------------+
 *   | born time      | born host    | store time     | store host    |reconsume|prepared transaction |
 *   +----------------+----- … ------+----------------+----- … -------+---------+---------------------+
 *    68+2h     72+2h
 *   +---------+---- … ----+------------+--- … ---+-------------------+----- … -----+
 *   | length  | body      | length 1|2 | topic   | length 2 (signed) | properties  |
 *   +---------+---- … ----+------------+--- … ---+-------------------+----- … -----+
 * ```
 *
 * The rest of a file that the next record does not fit into is one blank: its length (4), the blank magic (4), bytes of
 * no meaning. A record is placed only where 8 bytes stay free behind it, so that a blank always fits.
 *
 * With the CRC property on, the last 20 bytes of the properties are `__CRC32#`, U+0001, ten digits (decimal, least
 * significant first) and U+0002: the masked CRC-32 of everything before them.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"

export const MAGIC_V1 = 0xdaa320a7 | 0
export const MAGIC_V2 = 0xdaa320ab | 0
export const MAGIC_BLANK = 0xcbd43194 | 0

export const TOTAL_SIZE_OFFSET = 0
export const MAGIC_OFFSET = 4
export const BODY_CRC_OFFSET = 8
export const QUEUE_ID_OFFSET = 12
export const FLAG_OFFSET = 16
export const QUEUE_OFFSET_OFFSET = 20
export const PHYSICAL_OFFSET_OFFSET = 28
export const SYS_FLAG_OFFSET = 36
export const BORN_TIMESTAMP_OFFSET = 40
export const BORN_HOST_OFFSET = 48

export const HOST_LENGTH_IPV4 = 8
export const HOST_LENGTH_IPV6 = 20

/** Bytes of the fields between the two hosts and behind them, up to the body. */
const STORE_TIMESTAMP_LENGTH = 8
const RECONSUME_TIMES_LENGTH = 4
const PREPARED_TRANSACTION_LENGTH = 8
const BODY_LENGTH_LENGTH = 4

export const storeTimestampOffset = (bornHostLength: number): number => BORN_HOST_OFFSET + bornHostLength
export const storeHostOffset = (bornHostLength: number): number =>
  storeTimestampOffset(bornHostLength) + STORE_TIMESTAMP_LENGTH
export const reconsumeTimesOffset = (hostsLength: number): number =>
  BORN_HOST_OFFSET + hostsLength + STORE_TIMESTAMP_LENGTH
export const preparedTransactionOffset = (hostsLength: number): number =>
  reconsumeTimesOffset(hostsLength) + RECONSUME_TIMES_LENGTH
export const bodyLengthOffset = (hostsLength: number): number =>
  preparedTransactionOffset(hostsLength) + PREPARED_TRANSACTION_LENGTH
export const bodyOffset = (hostsLength: number): number => bodyLengthOffset(hostsLength) + BODY_LENGTH_LENGTH

export const topicLengthLength = (magic: number): number => (magic === MAGIC_V2 ? 2 : 1)
export const PROPERTIES_LENGTH_LENGTH = 2

/** The smallest record: two IPv4 hosts, no body, no topic, no properties. */
export const RECORD_LENGTH_MIN = bodyOffset(2 * HOST_LENGTH_IPV4) + 1 + PROPERTIES_LENGTH_LENGTH

export const BLANK_LENGTH_MIN = 8

/** A signed byte holds the length of a topic in version 1; one character more makes the record version 2. */
export const TOPIC_LENGTH_MAX_V1 = 127
export const PROPERTIES_LENGTH_MAX = 32767

export const CRC_PROPERTY_NAME = "__CRC32#"
export const CRC_DIGITS = 10
export const CRC_PROPERTY_LENGTH = CRC_PROPERTY_NAME.length + 1 + CRC_DIGITS + 1

assert(RECORD_LENGTH_MIN === 91, "fixed part of a record")
assert(CRC_PROPERTY_LENGTH === 20, "length of the CRC property")
