/**
 * The pcap capture file: one header, then records. The magic number tells the byte order of the writer, and whether
 * the fraction of a timestamp counts micro- or nanoseconds.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|           magic: 0xA1B2C3D4 (µs) or 0xA1B23C4D (ns)           |
 *   +-------------------------------+-------------------------------+
 *  4|        major version 2        |        minor version 4        |
 *   +-------------------------------+-------------------------------+
 *  8|                          reserved (0)                         |
 *   +---------------------------------------------------------------+
 * 12|                          reserved (0)                         |
 *   +---------------------------------------------------------------+
 * 16|          snap length: the most bytes kept of a packet         |
 *   +-------------------------------+-------------------------------+
 * 20|           link type           |  frame check sequence, flags  |
 *   +-------------------------------+-------------------------------+
 *
 *   then for each packet
 *   +---------------------------------------------------------------+
 *  0|                    seconds since 1970 (UTC)                   |
 *   +---------------------------------------------------------------+
 *  4|                  microseconds or nanoseconds                  |
 *   +---------------------------------------------------------------+
 *  8|                  captured length: bytes here                  |
 *   +---------------------------------------------------------------+
 * 12|                original length: bytes on the wire             |
 *   +---------------------------------------------------------------+
 * 16|                             bytes                            ...
 * ```
 */
import { assert } from "../memory/Assert.ts"

export const MAGIC_MICROSECONDS = 0xa1b2c3d4
export const MAGIC_NANOSECONDS = 0xa1b23c4d
export const VERSION_MAJOR = 2
export const VERSION_MINOR = 4

export const MAGIC_FIELD_OFFSET = 0
export const VERSION_MAJOR_FIELD_OFFSET = 4
export const VERSION_MINOR_FIELD_OFFSET = 6
export const SNAP_LENGTH_FIELD_OFFSET = 16
export const LINK_TYPE_FIELD_OFFSET = 20
export const FILE_HEADER_LENGTH = 24

export const SECONDS_FIELD_OFFSET = 0
export const FRACTION_FIELD_OFFSET = 4
export const CAPTURED_LENGTH_FIELD_OFFSET = 8
export const ORIGINAL_LENGTH_FIELD_OFFSET = 12
export const RECORD_HEADER_LENGTH = 16

/** No more bytes of one packet are read, and none longer are written. Other tools have the same limit. */
export const MAX_PACKET_LENGTH = 262_144

assert(FILE_HEADER_LENGTH === LINK_TYPE_FIELD_OFFSET + 4, "the link type ends the header of a pcap file")
assert(RECORD_HEADER_LENGTH === ORIGINAL_LENGTH_FIELD_OFFSET + 4, "the original length ends the header of a record")
