/**
 * PAD: fills the rest of a term, or the place of a claim that was given up. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|             frame length: all that is filled                  |
 *   +---------------+-+-+-----------+-------------------------------+
 *  4|    version    |B|E|     0     |           type 0x00           |
 *   +---------------+-+-+-----------+-------------------------------+
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
 * ```
 *
 * The fields are those of DATA and are read with `DataFrame`. On the wire a PAD is this header alone while its frame
 * length counts the whole filling, so it is the one frame that may be longer than its datagram, and then the last.
 */
import * as DataFrame from "./DataFrame.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"

/** Length in bytes of a PAD on the wire, whatever its frame length. */
export const HEADER_LENGTH = DataFrame.HEADER_LENGTH

/** Checks the header at `offset`. Returns the frame length, which may exceed `available`, or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number => {
  if (available < HEADER_LENGTH) {
    return FrameFault.TOO_SHORT
  }
  if (HeaderDescriptor.version(buffer, offset) !== HeaderDescriptor.CURRENT_VERSION) {
    return FrameFault.VERSION
  }
  const frameLength = HeaderDescriptor.frameLength(buffer, offset)
  return frameLength < HEADER_LENGTH ? FrameFault.FRAME_LENGTH : frameLength
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
  DataFrame.write(buffer, offset, frameLength, flags, termId, termOffset, sessionId, streamId)
  HeaderDescriptor.setType(buffer, offset, FrameType.PAD)
}
