/**
 * RSP_SETUP: a responder tells which of its sessions answers a request stream. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                        frame length 20                        |
 *   +---------------+---------------+-------------------------------+
 *  4|    version    |       0       |           type 0x0B           |
 *   +---------------+---------------+-------------------------------+
 *  8|                 session id, of the request                    |
 *   +---------------------------------------------------------------+
 * 12|                  stream id, of the request                    |
 *   +---------------------------------------------------------------+
 * 16|                      response session id                      |
 *   +---------------------------------------------------------------+
 * ```
 */
import { assert } from "../memory/Assert.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"

export const SESSION_ID_FIELD_OFFSET = 8
export const STREAM_ID_FIELD_OFFSET = 12
export const RESPONSE_SESSION_ID_FIELD_OFFSET = 16
export const HEADER_LENGTH = 20

assert(HEADER_LENGTH === RESPONSE_SESSION_ID_FIELD_OFFSET + 4, "the response session id ends an RSP_SETUP")

export const sessionId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + SESSION_ID_FIELD_OFFSET, true)

export const streamId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + STREAM_ID_FIELD_OFFSET, true)

export const responseSessionId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + RESPONSE_SESSION_ID_FIELD_OFFSET, true)

/** Checks that a whole RSP_SETUP lies in the `available` bytes. Returns its frame length or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number =>
  FrameFault.checkFixedPart(buffer, offset, available, HEADER_LENGTH)

export const write = (
  buffer: FrameBuffer,
  offset: number,
  sessionId: number,
  streamId: number,
  responseSessionId: number
): void => {
  HeaderDescriptor.write(buffer, offset, HEADER_LENGTH, 0, FrameType.RSP_SETUP)
  const view = buffer.view
  view.setInt32(offset + SESSION_ID_FIELD_OFFSET, sessionId, true)
  view.setInt32(offset + STREAM_ID_FIELD_OFFSET, streamId, true)
  view.setInt32(offset + RESPONSE_SESSION_ID_FIELD_OFFSET, responseSessionId, true)
}
