/**
 * What is wrong with bytes that should be a frame: negative codes, so that a validator returns a length or a fault in
 * one number and a receiver counts bad packets without an allocation.
 */
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"

/** Fewer bytes than the fixed part of a frame of this type. */
export const TOO_SHORT = -1
/** The version byte is not 0. */
export const VERSION = -2
/** The frame length is negative, shorter than the fixed part, above 65504, or reaches behind the bytes that arrived. */
export const FRAME_LENGTH = -3
/** No open driver knows a frame of this type. */
export const UNKNOWN_TYPE = -4
/** DATA whose datagram length is not a multiple of 32, or whose term offset is not, or is negative. */
export const ALIGNMENT = -5
/** A frame that does not continue the DATA frame in front of it: another type, stream or term, or a gap. */
export const SEQUENCE = -6
/** ERR whose text length is negative, above 1023, or reaches behind the frame. */
export const TEXT_LENGTH = -7
/** RES with an entry of unknown kind, without a name, with a name above 512 bytes, or cut off. */
export const ENTRY = -8

export const isFault = (code: number): boolean => code < 0

/**
 * Checks what all frames but DATA and PAD have in common, in the `available` bytes from `offset`. Returns the frame
 * length or a fault.
 *
 * Stricter than the drivers of Aeron in one point: they compare the fixed part with the datagram only, so that a
 * status message with frame length 0 passes; here it must be within the frame.
 */
export const checkFixedPart = (buffer: FrameBuffer, offset: number, available: number, fixedLength: number): number => {
  if (available < fixedLength) {
    return TOO_SHORT
  }
  if (HeaderDescriptor.version(buffer, offset) !== HeaderDescriptor.CURRENT_VERSION) {
    return VERSION
  }
  const frameLength = HeaderDescriptor.frameLength(buffer, offset)
  return frameLength >= fixedLength && isWithin(frameLength, available) ? frameLength : FRAME_LENGTH
}

/** Whether a frame of this length ends within the bytes that arrived, and within any datagram. */
export const isWithin = (frameLength: number, available: number): boolean =>
  frameLength <= available && frameLength <= HeaderDescriptor.MAX_DATAGRAM_LENGTH
