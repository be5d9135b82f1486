/**
 * SETUP: what a receiver needs to know before it takes data. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                        frame length 40                        |
 *   +---------------+-+-+-----------+-------------------------------+
 *  4|    version    |R|G|     0     |           type 0x05           |
 *   +---------------+-+-+-----------+-------------------------------+
 *  8|                    term offset, of the active term            |
 *   +---------------------------------------------------------------+
 * 12|                          session id                           |
 *   +---------------------------------------------------------------+
 * 16|                           stream id                           |
 *   +---------------------------------------------------------------+
 * 20|                        initial term id                        |
 *   +---------------------------------------------------------------+
 * 24|                        active term id                         |
 *   +---------------------------------------------------------------+
 * 28|                          term length                          |
 *   +---------------------------------------------------------------+
 * 32|                              MTU                              |
 *   +---------------------------------------------------------------+
 * 36|                              TTL                              |
 *   +---------------------------------------------------------------+
 * ```
 *
 * R asks the receiver for an RSP_SETUP, G says that the receivers are a group (`FrameFlags`). The MTU counts the
 * header of a DATA frame but not those of UDP and IP. TTL is the multicast hop limit, 0 for the system's default.
 */
import { isPowerOfTwo } from "../memory/Alignment.ts"
import { assert } from "../memory/Assert.ts"
import * as DataFrame from "./DataFrame.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"

export const TERM_OFFSET_FIELD_OFFSET = 8
export const SESSION_ID_FIELD_OFFSET = 12
export const STREAM_ID_FIELD_OFFSET = 16
export const INITIAL_TERM_ID_FIELD_OFFSET = 20
export const ACTIVE_TERM_ID_FIELD_OFFSET = 24
export const TERM_LENGTH_FIELD_OFFSET = 28
export const MTU_FIELD_OFFSET = 32
export const TTL_FIELD_OFFSET = 36
export const HEADER_LENGTH = 40

assert(HEADER_LENGTH === TTL_FIELD_OFFSET + 4, "the TTL ends a SETUP")

export const termOffset = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + TERM_OFFSET_FIELD_OFFSET, true)

export const sessionId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + SESSION_ID_FIELD_OFFSET, true)

export const streamId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + STREAM_ID_FIELD_OFFSET, true)

export const initialTermId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + INITIAL_TERM_ID_FIELD_OFFSET, true)

export const activeTermId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + ACTIVE_TERM_ID_FIELD_OFFSET, true)

export const termLength = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + TERM_LENGTH_FIELD_OFFSET, true)

export const mtu = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + MTU_FIELD_OFFSET, true)

export const ttl = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + TTL_FIELD_OFFSET, true)

/** Checks that a whole SETUP lies in the `available` bytes. Returns its frame length or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number =>
  FrameFault.checkFixedPart(buffer, offset, available, HEADER_LENGTH)

/** Whether a receiver may make an image of it: a term length within its limits, an offset within the term, an MTU. */
export const isValid = (buffer: FrameBuffer, offset: number, termLengthMin: number, termLengthMax: number): boolean => {
  const length = termLength(buffer, offset)
  const start = termOffset(buffer, offset)
  const datagramLength = mtu(buffer, offset)
  return (
    length >= termLengthMin &&
    length <= termLengthMax &&
    isPowerOfTwo(length) &&
    start >= 0 &&
    start < length &&
    start % HeaderDescriptor.FRAME_ALIGNMENT === 0 &&
    // A stream does not stand before its beginning; term ids wrap, their distance does not.
    ((activeTermId(buffer, offset) - initialTermId(buffer, offset)) | 0) >= 0 &&
    datagramLength > DataFrame.HEADER_LENGTH &&
    datagramLength <= HeaderDescriptor.MAX_DATAGRAM_LENGTH &&
    datagramLength % HeaderDescriptor.FRAME_ALIGNMENT === 0
  )
}

export const write = (
  buffer: FrameBuffer,
  offset: number,
  flags: number,
  termOffset: number,
  sessionId: number,
  streamId: number,
  initialTermId: number,
  activeTermId: number,
  termLength: number,
  mtu: number,
  ttl: number
): void => {
  HeaderDescriptor.write(buffer, offset, HEADER_LENGTH, flags, FrameType.SETUP)
  const view = buffer.view
  view.setInt32(offset + TERM_OFFSET_FIELD_OFFSET, termOffset, true)
  view.setInt32(offset + SESSION_ID_FIELD_OFFSET, sessionId, true)
  view.setInt32(offset + STREAM_ID_FIELD_OFFSET, streamId, true)
  view.setInt32(offset + INITIAL_TERM_ID_FIELD_OFFSET, initialTermId, true)
  view.setInt32(offset + ACTIVE_TERM_ID_FIELD_OFFSET, activeTermId, true)
  view.setInt32(offset + TERM_LENGTH_FIELD_OFFSET, termLength, true)
  view.setInt32(offset + MTU_FIELD_OFFSET, mtu, true)
  view.setInt32(offset + TTL_FIELD_OFFSET, ttl, true)
}
