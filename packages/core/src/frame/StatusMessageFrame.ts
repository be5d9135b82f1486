/**
 * SM, the status message: what a receiver has consumed and how much more it takes. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                    frame length 36 or 44                      |
 *   +---------------+-+-+-----------+-------------------------------+
 *  4|    version    |S|E|     0     |           type 0x03           |
 *   +---------------+-+-+-----------+-------------------------------+
 *  8|                          session id                           |
 *   +---------------------------------------------------------------+
 * 12|                           stream id                           |
 *   +---------------------------------------------------------------+
 * 16|                      consumption term id                      |
 *   +---------------------------------------------------------------+
 * 20|                    consumption term offset                    |
 *   +---------------------------------------------------------------+
 * 24|                    receiver window, bytes                     |
 *   +---------------------------------------------------------------+
 * 28|                          receiver id                          |
 *   |                  (64 bits, not aligned)                       |
 *   +---------------------------------------------------------------+
 * 36|                           group tag                           |
 *   |         (64 bits, not aligned, only in a frame of 44)         |
 *   +---------------------------------------------------------------+
 * ```
 *
 * S asks for a SETUP, E says that the receiver leaves (`FrameFlags`). A message that asks for a setup before the
 * stream is known has session, stream, consumption and window 0. Whether there is a group tag is told by the frame
 * length alone; other lengths carry feedback of an older kind, which is kept by whoever copies the frame.
 */
import { assert } from "../memory/Assert.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"

export const SESSION_ID_FIELD_OFFSET = 8
export const STREAM_ID_FIELD_OFFSET = 12
export const CONSUMPTION_TERM_ID_FIELD_OFFSET = 16
export const CONSUMPTION_TERM_OFFSET_FIELD_OFFSET = 20
export const RECEIVER_WINDOW_FIELD_OFFSET = 24
export const RECEIVER_ID_FIELD_OFFSET = 28
export const GROUP_TAG_FIELD_OFFSET = 36
/** Length in bytes without a group tag. */
export const HEADER_LENGTH = 36
/** Length in bytes with a group tag. */
export const HEADER_LENGTH_WITH_GROUP_TAG = 44

assert(HEADER_LENGTH === RECEIVER_ID_FIELD_OFFSET + 8, "the receiver id ends a short status message")
assert(HEADER_LENGTH_WITH_GROUP_TAG === GROUP_TAG_FIELD_OFFSET + 8, "the group tag ends a long status message")

export const sessionId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + SESSION_ID_FIELD_OFFSET, true)

export const streamId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + STREAM_ID_FIELD_OFFSET, true)

export const consumptionTermId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + CONSUMPTION_TERM_ID_FIELD_OFFSET, true)

export const consumptionTermOffset = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + CONSUMPTION_TERM_OFFSET_FIELD_OFFSET, true)

export const receiverWindow = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + RECEIVER_WINDOW_FIELD_OFFSET, true)

export const receiverId = (buffer: FrameBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + RECEIVER_ID_FIELD_OFFSET, true)

export const hasGroupTag = (buffer: FrameBuffer, offset: number): boolean =>
  HeaderDescriptor.frameLength(buffer, offset) === HEADER_LENGTH_WITH_GROUP_TAG

/** The group tag. Only where `hasGroupTag`. */
export const groupTag = (buffer: FrameBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + GROUP_TAG_FIELD_OFFSET, true)

/** Checks that a whole status message lies in the `available` bytes. Returns its frame length or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number =>
  FrameFault.checkFixedPart(buffer, offset, available, HEADER_LENGTH)

/** Whether consumption and window fit a stream with terms of this length. A sender refuses the rest. */
export const isValid = (buffer: FrameBuffer, offset: number, termLength: number): boolean => {
  const consumption = consumptionTermOffset(buffer, offset)
  const window = receiverWindow(buffer, offset)
  return (
    consumption >= 0 &&
    consumption < termLength &&
    consumption % HeaderDescriptor.FRAME_ALIGNMENT === 0 &&
    window >= 0 &&
    window <= termLength / 2
  )
}

/** Writes a status message of 36 bytes. */
export const write = (
  buffer: FrameBuffer,
  offset: number,
  flags: number,
  sessionId: number,
  streamId: number,
  consumptionTermId: number,
  consumptionTermOffset: number,
  receiverWindow: number,
  receiverId: bigint
): void => {
  HeaderDescriptor.write(buffer, offset, HEADER_LENGTH, flags, FrameType.SM)
  const view = buffer.view
  view.setInt32(offset + SESSION_ID_FIELD_OFFSET, sessionId, true)
  view.setInt32(offset + STREAM_ID_FIELD_OFFSET, streamId, true)
  view.setInt32(offset + CONSUMPTION_TERM_ID_FIELD_OFFSET, consumptionTermId, true)
  view.setInt32(offset + CONSUMPTION_TERM_OFFSET_FIELD_OFFSET, consumptionTermOffset, true)
  view.setInt32(offset + RECEIVER_WINDOW_FIELD_OFFSET, receiverWindow, true)
  view.setBigInt64(offset + RECEIVER_ID_FIELD_OFFSET, receiverId, true)
}

/** Adds the group tag to a status message that was written before, which makes it 44 bytes long. */
export const writeGroupTag = (buffer: FrameBuffer, offset: number, groupTag: bigint): void => {
  HeaderDescriptor.setFrameLength(buffer, offset, HEADER_LENGTH_WITH_GROUP_TAG)
  buffer.view.setBigInt64(offset + GROUP_TAG_FIELD_OFFSET, groupTag, true)
}
