/**
 * NAK: a receiver asks for a lost range of a term again. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                        frame length 28                        |
 *   +---------------+---------------+-------------------------------+
 *  4|    version    |       0       |           type 0x02           |
 *   +---------------+---------------+-------------------------------+
 *  8|                          session id                           |
 *   +---------------------------------------------------------------+
 * 12|                           stream id                           |
 *   +---------------------------------------------------------------+
 * 16|                            term id                            |
 *   +---------------------------------------------------------------+
 * 20|                          term offset                          |
 *   +---------------------------------------------------------------+
 * 24|                            length                             |
 *   +---------------------------------------------------------------+
 * ```
 *
 * The range begins at the term offset and has `length` bytes. Drivers ignore a length of 0.
 */
import { assert } from "../memory/Assert.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"

export const SESSION_ID_FIELD_OFFSET = 8
export const STREAM_ID_FIELD_OFFSET = 12
export const TERM_ID_FIELD_OFFSET = 16
export const TERM_OFFSET_FIELD_OFFSET = 20
export const LENGTH_FIELD_OFFSET = 24
export const HEADER_LENGTH = 28

assert(HEADER_LENGTH === LENGTH_FIELD_OFFSET + 4, "the length ends a NAK")

export const sessionId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + SESSION_ID_FIELD_OFFSET, true)

export const streamId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + STREAM_ID_FIELD_OFFSET, true)

export const termId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + TERM_ID_FIELD_OFFSET, true)

export const termOffset = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + TERM_OFFSET_FIELD_OFFSET, true)

export const length = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + LENGTH_FIELD_OFFSET, true)

/** Checks that a whole NAK lies in the `available` bytes. Returns its frame length or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number =>
  FrameFault.checkFixedPart(buffer, offset, available, HEADER_LENGTH)

/** Whether the range lies within a term of this length and starts where a frame can. A sender refuses the rest. */
export const isValid = (buffer: FrameBuffer, offset: number, termLength: number): boolean => {
  const start = termOffset(buffer, offset)
  const count = length(buffer, offset)
  return (
    start >= 0 &&
    start < termLength &&
    start % HeaderDescriptor.FRAME_ALIGNMENT === 0 &&
    count >= 0 &&
    start + count <= termLength
  )
}

export const write = (
  buffer: FrameBuffer,
  offset: number,
  sessionId: number,
  streamId: number,
  termId: number,
  termOffset: number,
  length: number
): void => {
  HeaderDescriptor.write(buffer, offset, HEADER_LENGTH, 0, FrameType.NAK)
  const view = buffer.view
  view.setInt32(offset + SESSION_ID_FIELD_OFFSET, sessionId, true)
  view.setInt32(offset + STREAM_ID_FIELD_OFFSET, streamId, true)
  view.setInt32(offset + TERM_ID_FIELD_OFFSET, termId, true)
  view.setInt32(offset + TERM_OFFSET_FIELD_OFFSET, termOffset, true)
  view.setInt32(offset + LENGTH_FIELD_OFFSET, length, true)
}
