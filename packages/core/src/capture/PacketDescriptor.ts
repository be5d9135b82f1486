/**
 * What stands around a UDP payload in a captured packet. Network byte order (big-endian) but for the protocol family.
 *
 * ```
 *   Ethernet        0 target 6, 6 source 6, 12 type 2, 14 body; a VLAN tag is type 2 and 2 bytes more, before the type
 *   Linux cooked    14 protocol 2, 16 body                  cooked 2    0 protocol 2, 20 body
 *   null, loop      0 protocol family 4, 4 body
 *
 *   IPv4  0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-------+-------+---------------+-------------------------------+
 *  0|   4   | words |    service    |          total length         |
 *   +-------+-------+---------------+-----+-------------------------+
 *  4|         identification        | |D|M|     fragment offset     |
 *   +---------------+---------------+-----+-------------------------+
 *  8|     hops      |   protocol    |        header checksum        |
 *   +---------------+---------------+-------------------------------+
 * 12|                        source address                         |
 *   +---------------------------------------------------------------+
 * 16|                        target address                         |
 *   +---------------------------------------------------------------+
 *
 *   IPv6
 *   +-------+---------------+---------------------------------------+
 *  0|   6   | traffic class |              flow label               |
 *   +-------+---------------+-------+---------------+---------------+
 *  4|         payload length        |  next header  |     hops      |
 *   +-------------------------------+---------------+---------------+
 *  8|                  source address (128 bits)                    |
 *   +---------------------------------------------------------------+
 * 24|                  target address (128 bits)                    |
 *   +---------------------------------------------------------------+
 *
 *   UDP
 *   +-------------------------------+-------------------------------+
 *  0|          source port          |          target port          |
 *   +-------------------------------+-------------------------------+
 *  4|    length, with this header   |            checksum           |
 *   +-------------------------------+-------------------------------+
 * ```
 */
export const ETHERNET_TYPE_OFFSET = 12
export const ETHERNET_HEADER_LENGTH = 14
export const VLAN_TAG_LENGTH = 4
export const ETHER_TYPE_IPV4 = 0x0800
export const ETHER_TYPE_IPV6 = 0x86dd
export const ETHER_TYPE_VLAN = 0x8100
export const ETHER_TYPE_SERVICE_VLAN = 0x88a8

export const COOKED_PROTOCOL_OFFSET = 14
export const COOKED_HEADER_LENGTH = 16
export const COOKED_2_PROTOCOL_OFFSET = 0
export const COOKED_2_HEADER_LENGTH = 20

export const FAMILY_HEADER_LENGTH = 4
export const FAMILY_IPV4 = 2
/** IPv6 is 10 on Linux, and one of the others on the BSDs and macOS. */
export const FAMILIES_IPV6: ReadonlyArray<number> = [10, 24, 28, 30]

export const IPV4_TOTAL_LENGTH_OFFSET = 2
export const IPV4_FRAGMENT_OFFSET = 6
/** More fragments, or a fragment offset: the packet holds a part of a datagram. */
export const IPV4_FRAGMENT_MASK = 0x3fff
export const IPV4_DONT_FRAGMENT = 0x4000
export const IPV4_HOPS_OFFSET = 8
export const IPV4_PROTOCOL_OFFSET = 9
export const IPV4_CHECKSUM_OFFSET = 10
export const IPV4_SOURCE_OFFSET = 12
export const IPV4_TARGET_OFFSET = 16
export const IPV4_HEADER_LENGTH = 20
export const IPV4_ADDRESS_LENGTH = 4

export const IPV6_PAYLOAD_LENGTH_OFFSET = 4
export const IPV6_NEXT_HEADER_OFFSET = 6
export const IPV6_HOPS_OFFSET = 7
export const IPV6_SOURCE_OFFSET = 8
export const IPV6_TARGET_OFFSET = 24
export const IPV6_HEADER_LENGTH = 40
export const IPV6_ADDRESS_LENGTH = 16
/** Headers that may stand between IPv6 and UDP: hop-by-hop, routing and destination options. */
export const IPV6_EXTENSIONS: ReadonlyArray<number> = [0, 43, 60]
export const IPV6_EXTENSION_NEXT_HEADER_OFFSET = 0
/** Length of an extension header in units of 8 bytes, the first not counted. */
export const IPV6_EXTENSION_LENGTH_OFFSET = 1
export const IPV6_EXTENSION_UNIT = 8
export const IPV6_FRAGMENT = 44

export const PROTOCOL_UDP = 17
export const UDP_SOURCE_PORT_OFFSET = 0
export const UDP_TARGET_PORT_OFFSET = 2
export const UDP_LENGTH_OFFSET = 4
export const UDP_CHECKSUM_OFFSET = 6
export const UDP_HEADER_LENGTH = 8
/** The longest payload in bytes that UDP carries over IPv4. */
export const MAX_UDP_PAYLOAD_LENGTH = 65_507
