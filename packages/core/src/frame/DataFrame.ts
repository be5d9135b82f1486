/**
 * DATA: a message or one fragment of it, and the form of every frame in a term. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                         frame length                          |
 *   +---------------+-+-+-+-+-------+-------------------------------+
 *  4|    version    |B|E|S|R|   0   |           type 0x01           |
 *   +---------------+-+-+-+-+-------+-------------------------------+
 *  8|                          term offset                          |
 *   +---------------------------------------------------------------+
 * 12|                          session id                           |
 *   +---------------------------------------------------------------+
 * 16|                           stream id                           |
 *   +---------------------------------------------------------------+
 * 20|                            term id                            |
 *   +---------------------------------------------------------------+
 * 24|                        reserved value                         |
 *   |                          (64 bits)                            |
 *   +---------------------------------------------------------------+
 * 32|                      payload, then alignment                 ...
 * ```
 *
 * B begins a message, E ends it, S is end of stream, R is revoked (`FrameFlags`). In a datagram a frame length of 0
 * makes it a heartbeat: a header alone, whose term offset is where the stream stands.
 */
import { assert } from "../memory/Assert.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameFlags from "./FrameFlags.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"

export const TERM_OFFSET_FIELD_OFFSET = 8
export const SESSION_ID_FIELD_OFFSET = 12
export const STREAM_ID_FIELD_OFFSET = 16
export const TERM_ID_FIELD_OFFSET = 20
export const RESERVED_VALUE_FIELD_OFFSET = 24
/** Length in bytes of the header, and the offset of the payload. */
export const HEADER_LENGTH = 32
export const PAYLOAD_OFFSET = HEADER_LENGTH

assert(HEADER_LENGTH === RESERVED_VALUE_FIELD_OFFSET + 8, "the reserved value ends the DATA header")
assert(HEADER_LENGTH === HeaderDescriptor.FRAME_ALIGNMENT, "a DATA header alone fills one aligned frame")

export const termOffset = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + TERM_OFFSET_FIELD_OFFSET, true)

export const setTermOffset = (buffer: FrameBuffer, offset: number, value: number): void =>
  buffer.view.setInt32(offset + TERM_OFFSET_FIELD_OFFSET, value, true)

export const sessionId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + SESSION_ID_FIELD_OFFSET, true)

export const setSessionId = (buffer: FrameBuffer, offset: number, value: number): void =>
  buffer.view.setInt32(offset + SESSION_ID_FIELD_OFFSET, value, true)

export const streamId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + STREAM_ID_FIELD_OFFSET, true)

export const setStreamId = (buffer: FrameBuffer, offset: number, value: number): void =>
  buffer.view.setInt32(offset + STREAM_ID_FIELD_OFFSET, value, true)

export const termId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + TERM_ID_FIELD_OFFSET, true)

export const setTermId = (buffer: FrameBuffer, offset: number, value: number): void =>
  buffer.view.setInt32(offset + TERM_ID_FIELD_OFFSET, value, true)

/** A 64-bit value of the application's own, often a checksum or a timestamp. The transport never looks at it. */
export const reservedValue = (buffer: FrameBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + RESERVED_VALUE_FIELD_OFFSET, true)

export const setReservedValue = (buffer: FrameBuffer, offset: number, value: bigint): void =>
  buffer.view.setBigInt64(offset + RESERVED_VALUE_FIELD_OFFSET, value, true)

/** Bytes of payload in a frame of this length. */
export const payloadLength = (frameLength: number): number => frameLength - HEADER_LENGTH

/** True for a DATA header with frame length 0: it says where the stream stands and carries nothing. */
export const isHeartbeat = (buffer: FrameBuffer, offset: number): boolean =>
  HeaderDescriptor.frameLength(buffer, offset) === 0 && HeaderDescriptor.type(buffer, offset) === FrameType.DATA

/** A heartbeat that says where the stream ends. A revoked stream ends too. */
export const isEndOfStream = (buffer: FrameBuffer, offset: number): boolean =>
  isHeartbeat(buffer, offset) && FrameFlags.has(HeaderDescriptor.flags(buffer, offset), FrameFlags.EOS)

/** A heartbeat that says that the publication was revoked. */
export const isRevoked = (buffer: FrameBuffer, offset: number): boolean =>
  isHeartbeat(buffer, offset) && FrameFlags.has(HeaderDescriptor.flags(buffer, offset), FrameFlags.REVOKED)

/** Checks that a whole frame lies in the `available` bytes. Returns its frame length, 0 for a heartbeat, or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number => {
  if (available < HEADER_LENGTH) {
    return FrameFault.TOO_SHORT
  }
  if (HeaderDescriptor.version(buffer, offset) !== HeaderDescriptor.CURRENT_VERSION) {
    return FrameFault.VERSION
  }
  const frameLength = HeaderDescriptor.frameLength(buffer, offset)
  if (frameLength === 0) {
    return 0
  }
  return frameLength >= HEADER_LENGTH && FrameFault.isWithin(frameLength, available)
    ? frameLength
    : FrameFault.FRAME_LENGTH
}

/** Writes a whole header with reserved value 0. Not for a term that others read: an appender stores the length last. */
export const write = (
  buffer: FrameBuffer,
  offset: number,
  frameLength: number,
  flags: number,
  termId: number,
  termOffset: number,
  sessionId: number,
  streamId: number
): void => {
  HeaderDescriptor.write(buffer, offset, frameLength, flags, FrameType.DATA)
  const view = buffer.view
  view.setInt32(offset + TERM_OFFSET_FIELD_OFFSET, termOffset, true)
  view.setInt32(offset + SESSION_ID_FIELD_OFFSET, sessionId, true)
  view.setInt32(offset + STREAM_ID_FIELD_OFFSET, streamId, true)
  view.setInt32(offset + TERM_ID_FIELD_OFFSET, termId, true)
  view.setInt32(offset + RESERVED_VALUE_FIELD_OFFSET, 0, true)
  view.setInt32(offset + RESERVED_VALUE_FIELD_OFFSET + 4, 0, true)
}
