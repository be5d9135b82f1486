/**
 * The pcapng capture file: blocks, each framed by its length. A section header sets the byte order of what follows it;
 * interface descriptions say how packets of an interface are to be read; packets refer to an interface by its index in
 * the section. Blocks of other types are skipped.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                          block type                           |
 *   +---------------------------------------------------------------+
 *  4|          block length: all of it, a multiple of 4             |
 *   +---------------------------------------------------------------+
 *  8|                             body                             ...
 *   +---------------------------------------------------------------+
 *   |                      block length again                       |
 *   +---------------------------------------------------------------+
 *
 *   section header 0x0A0D0D0A              interface description 1
 *  8| byte order magic 0x1A2B3C4D |       8| link type 16 | reserved 16 |
 * 12| major 16     | minor 16     |      12| snap length                |
 * 16| section length 64, -1 for   |      16| options                   ...
 * 20| "unknown"                   |
 * 24| options                    ...
 *
 *   enhanced packet 6                      packet 2 (obsolete)
 *  8| interface index             |       8| interface 16 | drops 16    |
 * 12| timestamp, high 32 bits     |      12| timestamp, high 32 bits    |
 * 16| timestamp, low 32 bits      |      16| timestamp, low 32 bits     |
 * 20| captured length             |      20| captured length            |
 * 24| original length             |      24| original length            |
 * 28| bytes, to a multiple of 4  ...     28| bytes, to a multiple of 4 ...
 *
 *   simple packet 3                        option
 *  8| original length             |       0| code 16      | length 16   |
 * 12| bytes, to a multiple of 4  ...      4| value, to a multiple of 4 ...
 * ```
 *
 * A timestamp counts units of the interface's resolution since 1970 (UTC): microseconds unless the option says
 * otherwise. A simple packet has none.
 */
export const SECTION_HEADER = 0x0a0d0d0a
export const INTERFACE_DESCRIPTION = 1
export const PACKET = 2
export const SIMPLE_PACKET = 3
export const ENHANCED_PACKET = 6

export const BLOCK_TYPE_FIELD_OFFSET = 0
export const BLOCK_LENGTH_FIELD_OFFSET = 4
export const BODY_OFFSET = 8
/** Length in bytes of the block length that ends a block. */
export const TRAILER_LENGTH = 4
export const BLOCK_ALIGNMENT = 4
/** A block without body. */
export const MIN_BLOCK_LENGTH = 12
/** Longer blocks are refused, so that a damaged length cannot ask for the memory of the whole file. */
export const MAX_BLOCK_LENGTH = 16 * 1024 * 1024

export const BYTE_ORDER_MAGIC = 0x1a2b3c4d
export const BYTE_ORDER_MAGIC_FIELD_OFFSET = 8
export const VERSION_MAJOR_FIELD_OFFSET = 12
export const VERSION_MINOR_FIELD_OFFSET = 14
export const SECTION_LENGTH_FIELD_OFFSET = 16
export const SECTION_OPTIONS_OFFSET = 24
export const VERSION_MAJOR = 1

export const LINK_TYPE_FIELD_OFFSET = 8
export const SNAP_LENGTH_FIELD_OFFSET = 12
export const INTERFACE_OPTIONS_OFFSET = 16

export const INTERFACE_INDEX_FIELD_OFFSET = 8
export const TIMESTAMP_HIGH_FIELD_OFFSET = 12
export const TIMESTAMP_LOW_FIELD_OFFSET = 16
export const CAPTURED_LENGTH_FIELD_OFFSET = 20
export const ORIGINAL_LENGTH_FIELD_OFFSET = 24
export const PACKET_BYTES_OFFSET = 28

export const SIMPLE_ORIGINAL_LENGTH_FIELD_OFFSET = 8
export const SIMPLE_PACKET_BYTES_OFFSET = 12

export const OPTION_CODE_FIELD_OFFSET = 0
export const OPTION_LENGTH_FIELD_OFFSET = 2
export const OPTION_VALUE_OFFSET = 4
export const OPTION_END = 0
/** Interface option, one byte: 10^-n of a second, or 2^-n when the highest bit is set. */
export const OPTION_TIMESTAMP_RESOLUTION = 9
export const TIMESTAMP_RESOLUTION_MICROSECONDS = 6
export const TIMESTAMP_RESOLUTION_NANOSECONDS = 9
export const TIMESTAMP_RESOLUTION_BINARY = 0x80
/** Interface option, 64 bits signed: seconds to add to every timestamp. */
export const OPTION_TIMESTAMP_OFFSET = 14
/** More interfaces in one section are refused. */
export const MAX_INTERFACES = 65_536
