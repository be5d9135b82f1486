/**
 * ERR: a receiver rejects the stream and says why, in place of status messages. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                 frame length 40 + text length                 |
 *   +---------------+-------+-+-----+-------------------------------+
 *  4|    version    |   0   |T|  0  |           type 0x04           |
 *   +---------------+-------+-+-----+-------------------------------+
 *  8|                          session id                           |
 *   +---------------------------------------------------------------+
 * 12|                           stream id                           |
 *   +---------------------------------------------------------------+
 * 16|                          receiver id                          |
 *   |                           (64 bits)                           |
 *   +---------------------------------------------------------------+
 * 24|                           group tag                           |
 *   |                           (64 bits)                           |
 *   +---------------------------------------------------------------+
 * 32|                          error code                           |
 *   +---------------------------------------------------------------+
 * 36|                     text length, 0 to 1023                    |
 *   +---------------------------------------------------------------+
 * 40|                             text                             ...
 * ```
 *
 * T says that the group tag means something (`FrameFlags.ERR_HAS_GROUP_TAG`); the field is there either way.
 */
import { assert } from "../memory/Assert.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameFlags from "./FrameFlags.ts"
import * as FrameText from "./FrameText.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"

export const SESSION_ID_FIELD_OFFSET = 8
export const STREAM_ID_FIELD_OFFSET = 12
export const RECEIVER_ID_FIELD_OFFSET = 16
export const GROUP_TAG_FIELD_OFFSET = 24
export const ERROR_CODE_FIELD_OFFSET = 32
export const TEXT_LENGTH_FIELD_OFFSET = 36
export const TEXT_FIELD_OFFSET = 40
/** Length in bytes without text. */
export const HEADER_LENGTH = 40
/** The longest text in bytes. */
export const MAX_TEXT_LENGTH = 1023

assert(HEADER_LENGTH === TEXT_LENGTH_FIELD_OFFSET + 4, "the text length ends the fixed part of an ERR")
assert(HEADER_LENGTH === TEXT_FIELD_OFFSET, "the text follows the fixed part of an ERR")

export const sessionId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + SESSION_ID_FIELD_OFFSET, true)

export const streamId = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + STREAM_ID_FIELD_OFFSET, true)

export const receiverId = (buffer: FrameBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + RECEIVER_ID_FIELD_OFFSET, true)

export const hasGroupTag = (buffer: FrameBuffer, offset: number): boolean =>
  FrameFlags.has(HeaderDescriptor.flags(buffer, offset), FrameFlags.ERR_HAS_GROUP_TAG)

/** The group tag field. It means something only where `hasGroupTag`. */
export const groupTag = (buffer: FrameBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + GROUP_TAG_FIELD_OFFSET, true)

export const errorCode = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + ERROR_CODE_FIELD_OFFSET, true)

export const textLength = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + TEXT_LENGTH_FIELD_OFFSET, true)

export const text = (buffer: FrameBuffer, offset: number): string =>
  FrameText.read(buffer, offset + TEXT_FIELD_OFFSET, textLength(buffer, offset))

/** Checks that a whole ERR with its text lies in the `available` bytes. Returns its frame length or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number => {
  const frameLength = FrameFault.checkFixedPart(buffer, offset, available, HEADER_LENGTH)
  if (frameLength < 0) {
    return frameLength
  }
  const length = textLength(buffer, offset)
  return length < 0 || length > MAX_TEXT_LENGTH || HEADER_LENGTH + length > frameLength
    ? FrameFault.TEXT_LENGTH
    : frameLength
}

/** Writes an ERR without group tag; text above 1023 characters is cut. Returns its frame length. */
export const write = (
  buffer: FrameBuffer,
  offset: number,
  sessionId: number,
  streamId: number,
  receiverId: bigint,
  errorCode: number,
  text: string
): number => {
  const length = Math.min(text.length, MAX_TEXT_LENGTH)
  HeaderDescriptor.write(buffer, offset, HEADER_LENGTH + length, 0, FrameType.ERR)
  const view = buffer.view
  view.setInt32(offset + SESSION_ID_FIELD_OFFSET, sessionId, true)
  view.setInt32(offset + STREAM_ID_FIELD_OFFSET, streamId, true)
  view.setBigInt64(offset + RECEIVER_ID_FIELD_OFFSET, receiverId, true)
  view.setInt32(offset + GROUP_TAG_FIELD_OFFSET, 0, true)
  view.setInt32(offset + GROUP_TAG_FIELD_OFFSET + 4, 0, true)
  view.setInt32(offset + ERROR_CODE_FIELD_OFFSET, errorCode, true)
  view.setInt32(offset + TEXT_LENGTH_FIELD_OFFSET, length, true)
  FrameText.write(buffer, offset + TEXT_FIELD_OFFSET, text, length)
  return HEADER_LENGTH + length
}

/** Sets the group tag of an ERR that was written before, and the flag that says so. */
export const writeGroupTag = (buffer: FrameBuffer, offset: number, groupTag: bigint): void => {
  HeaderDescriptor.setFlags(buffer, offset, HeaderDescriptor.flags(buffer, offset) | FrameFlags.ERR_HAS_GROUP_TAG)
  buffer.view.setBigInt64(offset + GROUP_TAG_FIELD_OFFSET, groupTag, true)
}
