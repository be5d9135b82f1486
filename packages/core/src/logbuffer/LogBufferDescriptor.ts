/**
 * A log buffer: three terms that take turns, and one page that says what they are. Little-endian, byte for byte the
 * file that Aeron's drivers and clients map.
 *
 * ```
 *   +----------------------------+ 0
 *   |           term 0           |
 *   +----------------------------+ termLength
 *   |           term 1           |
 *   +----------------------------+ 2 * termLength
 *   |           term 2           |
 *   +----------------------------+ 3 * termLength
 *   |   fill up to a page that   |   empty unless pages are longer than the metadata
 *   |   is longer than 4096      |
 *   +----------------------------+ length - 4096
 *   |          metadata          |
 *   +----------------------------+ length = align(3 * termLength + 4096, pageSize)
 *
 *   metadata
 *     0 |               tail counter of term 0: term id << 32 | offset                 |
 *     8 |               tail counter of term 1                                         |
 *    16 |               tail counter of term 2                                         |
 *    24 |         active term count           |  0                                     |
 *    32   0 (to 127)
 *   128 |               end of stream position, 2^63 - 1 until the end is known        |
 *   136 |         is connected (0, 1)         |         active transport count         |
 *   144   0 (to 255)
 *   256 |               correlation id                                                 |
 *   264 |         initial term id             |         default header length (32)     |
 *   272 |         mtu length                  |         term length                    |
 *   280 |         page size                   |         publication window length      |
 *   288 |         receiver window length      |         socket send buffer length      |
 *   296 |         OS default send buffer      |         OS maximum send buffer         |
 *   304 |         socket receive buffer       |         OS default receive buffer      |
 *   312 |         OS maximum receive buffer   |         max resend                     |
 *   320   default DATA header, 32 bytes of 128 used
 *   448 |               entity tag                                                     |
 *   456 |               response correlation id                                        |
 *   464 |               linger timeout (ns)                                            |
 *   472 |               untethered window limit timeout (ns)                           |
 *   480 |               untethered resting timeout (ns)                                |
 *   488 | group   | is resp.| rejoin  | reliable| sparse  |sgnl eos |spies sim| tether  |
 *   496 | revoked | type    |  0                |   untethered linger timeout (ns) ...   |
 *   504 | ...    not aligned to 8             |  0 (to 4095)
 * ```
 */
import * as DataFrame from "../frame/DataFrame.ts"
import * as HeaderDescriptor from "../frame/HeaderDescriptor.ts"
import { align, isPowerOfTwo } from "../memory/Alignment.ts"
import { assert } from "../memory/Assert.ts"

export const PARTITION_COUNT = 3
export const TERM_LENGTH_MIN = 64 * 1024
export const TERM_LENGTH_MAX = 1024 * 1024 * 1024
export const PAGE_SIZE_MIN = 4096
export const PAGE_SIZE_MAX = 1024 * 1024 * 1024
export const METADATA_LENGTH = 4096
export const MTU_LENGTH_MAX = 65504

export const TERM_TAIL_COUNTERS_OFFSET = 0
export const ACTIVE_TERM_COUNT_OFFSET = 24
export const END_OF_STREAM_POSITION_OFFSET = 128
export const IS_CONNECTED_OFFSET = 136
export const ACTIVE_TRANSPORT_COUNT_OFFSET = 140
export const CORRELATION_ID_OFFSET = 256
export const INITIAL_TERM_ID_OFFSET = 264
export const DEFAULT_FRAME_HEADER_LENGTH_OFFSET = 268
export const MTU_LENGTH_OFFSET = 272
export const TERM_LENGTH_OFFSET = 276
export const PAGE_SIZE_OFFSET = 280
export const PUBLICATION_WINDOW_LENGTH_OFFSET = 284
export const RECEIVER_WINDOW_LENGTH_OFFSET = 288
export const SOCKET_SNDBUF_LENGTH_OFFSET = 292
export const OS_DEFAULT_SOCKET_SNDBUF_LENGTH_OFFSET = 296
export const OS_MAX_SOCKET_SNDBUF_LENGTH_OFFSET = 300
export const SOCKET_RCVBUF_LENGTH_OFFSET = 304
export const OS_DEFAULT_SOCKET_RCVBUF_LENGTH_OFFSET = 308
export const OS_MAX_SOCKET_RCVBUF_LENGTH_OFFSET = 312
export const MAX_RESEND_OFFSET = 316
export const DEFAULT_FRAME_HEADER_OFFSET = 320
export const DEFAULT_FRAME_HEADER_LENGTH_MAX = 128
export const ENTITY_TAG_OFFSET = 448
export const RESPONSE_CORRELATION_ID_OFFSET = 456
export const LINGER_TIMEOUT_NS_OFFSET = 464
export const UNTETHERED_WINDOW_LIMIT_TIMEOUT_NS_OFFSET = 472
export const UNTETHERED_RESTING_TIMEOUT_NS_OFFSET = 480
export const GROUP_OFFSET = 488
export const IS_RESPONSE_OFFSET = 489
export const REJOIN_OFFSET = 490
export const RELIABLE_OFFSET = 491
export const SPARSE_OFFSET = 492
export const SIGNAL_EOS_OFFSET = 493
export const SPIES_SIMULATE_CONNECTION_OFFSET = 494
export const TETHER_OFFSET = 495
export const IS_PUBLICATION_REVOKED_OFFSET = 496
export const TYPE_OFFSET = 497
export const UNTETHERED_LINGER_TIMEOUT_NS_OFFSET = 500
/** Where the used part of the page ends. The rest of it is 0. */
export const METADATA_USED_LENGTH = 508

/** Who appends to a log, the byte at 497. */
export const LogType = { ConcurrentPublication: 0, ExclusivePublication: 1, PublicationImage: 2 } as const

/** End of stream position while the stream has no end: the largest int64. */
export const END_OF_STREAM_UNKNOWN = 0x7fff_ffff_ffff_ffffn

/** The longest message there can be, in bytes, however long the terms are. */
export const MESSAGE_LENGTH_MAX = 16 * 1024 * 1024

/** Positions are multiples of 32, and a double holds every multiple of 32 up to here. */
export const POSITION_MAX = 2 ** 58

assert(ACTIVE_TERM_COUNT_OFFSET === TERM_TAIL_COUNTERS_OFFSET + 8 * PARTITION_COUNT, "the count follows three tails")
assert(
  ENTITY_TAG_OFFSET === DEFAULT_FRAME_HEADER_OFFSET + DEFAULT_FRAME_HEADER_LENGTH_MAX,
  "the tag follows the header"
)
assert(DataFrame.HEADER_LENGTH <= DEFAULT_FRAME_HEADER_LENGTH_MAX, "the default header has room for a DATA header")
assert(TETHER_OFFSET === GROUP_OFFSET + 7, "eight switches take one byte each")
assert(METADATA_USED_LENGTH === UNTETHERED_LINGER_TIMEOUT_NS_OFFSET + 8, "the linger timeout ends the used part")
assert(METADATA_USED_LENGTH <= METADATA_LENGTH, "the metadata fits its page")

/** The offset in the metadata of the tail counter of a partition. */
export const tailCounterOffset = (partitionIndex: number): number => TERM_TAIL_COUNTERS_OFFSET + 8 * partitionIndex

export const isTermLength = (length: number): boolean =>
  isPowerOfTwo(length) && length >= TERM_LENGTH_MIN && length <= TERM_LENGTH_MAX

export const isPageSize = (size: number): boolean =>
  isPowerOfTwo(size) && size >= PAGE_SIZE_MIN && size <= PAGE_SIZE_MAX

/** A frame holds at least one aligned unit of payload and fits a UDP datagram. */
export const isMtuLength = (length: number): boolean =>
  length > DataFrame.HEADER_LENGTH && length <= MTU_LENGTH_MAX && length % HeaderDescriptor.FRAME_ALIGNMENT === 0

/** Length in bytes of the whole log. */
export const computeLogLength = (termLength: number, pageSize: number): number =>
  align(PARTITION_COUNT * termLength + METADATA_LENGTH, pageSize)

/** The longest message that a log of this term length takes. */
export const maxMessageLength = (termLength: number): number => Math.min(termLength / 8, MESSAGE_LENGTH_MAX)

/** The longest message that goes in one frame. */
export const maxPayloadLength = (mtuLength: number): number => mtuLength - DataFrame.HEADER_LENGTH

/** Where a stream of this term length ends: its term ids are used up, or its positions are no longer exact. */
export const positionMax = (termLength: number): number => Math.min(termLength * 2 ** 31, POSITION_MAX)

/** How many terms came before this one. Term ids wrap around, the count does not. */
export const computeTermCount = (termId: number, initialTermId: number): number => (termId - initialTermId) | 0

/** The partition of a term. In range for any int32, since the count is read from memory that others write. */
export const indexByTermCount = (termCount: number): number => (termCount >>> 0) % PARTITION_COUNT

// Term lengths are powers of two, so these are exact; `%` of a double is a call, and 13 ns for the two where this is 5.

export const indexByPosition = (position: number, termLength: number): number =>
  indexByTermCount(Math.floor(position / termLength))

export const computeTermBeginPosition = (termId: number, termLength: number, initialTermId: number): number =>
  computeTermCount(termId, initialTermId) * termLength

export const computePosition = (
  termId: number,
  termOffset: number,
  termLength: number,
  initialTermId: number
): number => computeTermCount(termId, initialTermId) * termLength + termOffset

export const computeTermId = (position: number, termLength: number, initialTermId: number): number =>
  (Math.floor(position / termLength) + initialTermId) | 0

export const computeTermOffset = (position: number, termLength: number): number =>
  position - Math.floor(position / termLength) * termLength
