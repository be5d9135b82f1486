/**
 * RTTM, round trip time measurement: a request, or the reply to it. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                        frame length 40                        |
 *   +---------------+-+-------------+-------------------------------+
 *  4|    version    |R|      0      |           type 0x06           |
 *   +---------------+-+-------------+-------------------------------+
 *  8|                          session id                           |
 *   +---------------------------------------------------------------+
 * 12|                           stream id                           |
 *   +---------------------------------------------------------------+
 * 16|               echo timestamp, ns of the requester             |
 *   |                           (64 bits)                           |
 *   +---------------------------------------------------------------+
 * 24|             reception delta, ns spent at the replier          |
 *   |                           (64 bits)                           |
 *   +---------------------------------------------------------------+
 * 32|                          receiver id                          |
 *   |                           (64 bits)                           |
 *   +---------------------------------------------------------------+
 * ```
 *
 * R is set in a request (`FrameFlags.RTTM_REPLY`: a reply is wanted) and cleared in the reply, which carries the same
 * timestamp back. The round trip is the requester's clock minus the timestamp minus the delta.
 */
import { assert } from "../memory/Assert.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"

export const SESSION_ID_FIELD_OFFSET = 8
export const STREAM_ID_FIELD_OFFSET = 12
export const ECHO_TIMESTAMP_FIELD_OFFSET = 16
export const RECEPTION_DELTA_FIELD_OFFSET = 24
export const RECEIVER_ID_FIELD_OFFSET = 32
export const HEADER_LENGTH = 40

assert(HEADER_LENGTH === RECEIVER_ID_FIELD_OFFSET + 8, "the receiver id ends an RTTM")

export const sessionId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + SESSION_ID_FIELD_OFFSET, true)

export const streamId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + STREAM_ID_FIELD_OFFSET, true)

export const echoTimestampNs = (buffer: FrameBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + ECHO_TIMESTAMP_FIELD_OFFSET, true)

export const receptionDeltaNs = (buffer: FrameBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + RECEPTION_DELTA_FIELD_OFFSET, true)

export const receiverId = (buffer: FrameBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + RECEIVER_ID_FIELD_OFFSET, true)

/** Checks that a whole RTTM lies in the `available` bytes. Returns its frame length or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number =>
  FrameFault.checkFixedPart(buffer, offset, available, HEADER_LENGTH)

export const write = (
  buffer: FrameBuffer,
  offset: number,
  flags: number,
  sessionId: number,
  streamId: number,
  echoTimestampNs: bigint,
  receptionDeltaNs: bigint,
  receiverId: bigint
): void => {
  HeaderDescriptor.write(buffer, offset, HEADER_LENGTH, flags, FrameType.RTTM)
  const view = buffer.view
  view.setInt32(offset + SESSION_ID_FIELD_OFFSET, sessionId, true)
  view.setInt32(offset + STREAM_ID_FIELD_OFFSET, streamId, true)
  view.setBigInt64(offset + ECHO_TIMESTAMP_FIELD_OFFSET, echoTimestampNs, true)
  view.setBigInt64(offset + RECEPTION_DELTA_FIELD_OFFSET, receptionDeltaNs, true)
  view.setBigInt64(offset + RECEIVER_ID_FIELD_OFFSET, receiverId, true)
}
