/**
 * Checks one UDP payload whole, before any frame of it is used.
 *
 * A datagram is one of three things:
 * - DATA frames that follow each other in a term, each aligned to 32 bytes; the last may be a PAD, of which only the
 *   header is sent while its frame length counts the filling;
 * - a heartbeat: one DATA header with frame length 0, plain, end of stream or revoked;
 * - one frame of another type. Bytes behind it are ignored, as every driver does.
 *
 * Stricter than the drivers of Aeron, which look at term offsets only: all frames must be of one session, stream and
 * term, and none shorter than its header. Every byte that a caller reads after success lies within the payload.
 */
import { align } from "../memory/Alignment.ts"
import * as DataFrame from "./DataFrame.ts"
import * as ErrorFrame from "./ErrorFrame.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"
import * as NakFrame from "./NakFrame.ts"
import * as PadFrame from "./PadFrame.ts"
import * as ResolutionFrame from "./ResolutionFrame.ts"
import * as ResponseSetupFrame from "./ResponseSetupFrame.ts"
import * as RttMeasurementFrame from "./RttMeasurementFrame.ts"
import * as SetupFrame from "./SetupFrame.ts"
import * as StatusMessageFrame from "./StatusMessageFrame.ts"

/**
 * Checks the `length` bytes from `offset`. Returns a fault, or how much the datagram covers: bytes of the term for
 * DATA and PAD (0 for a heartbeat, more than `length` when it ends in a PAD), else the frame length. The first frame's
 * type, which tells these apart, is `HeaderDescriptor.type(buffer, offset)`.
 */
export const validate = (buffer: FrameBuffer, offset: number, length: number): number => {
  if (length < HeaderDescriptor.MIN_HEADER_LENGTH) {
    return FrameFault.TOO_SHORT
  }
  const type = HeaderDescriptor.type(buffer, offset)
  return type === FrameType.DATA || type === FrameType.PAD
    ? validateData(buffer, offset, length)
    : validateFrame(buffer, offset, length)
}

/** Checks one frame of any type at `offset`. Returns its frame length (0 for a heartbeat) or a fault. */
export const validateFrame = (buffer: FrameBuffer, offset: number, available: number): number => {
  if (available < HeaderDescriptor.MIN_HEADER_LENGTH) {
    return FrameFault.TOO_SHORT
  }
  switch (HeaderDescriptor.type(buffer, offset)) {
    case FrameType.PAD:
      return PadFrame.validate(buffer, offset, available)
    case FrameType.DATA:
      return DataFrame.validate(buffer, offset, available)
    case FrameType.NAK:
      return NakFrame.validate(buffer, offset, available)
    case FrameType.SM:
      return StatusMessageFrame.validate(buffer, offset, available)
    case FrameType.ERR:
      return ErrorFrame.validate(buffer, offset, available)
    case FrameType.SETUP:
      return SetupFrame.validate(buffer, offset, available)
    case FrameType.RTTM:
      return RttMeasurementFrame.validate(buffer, offset, available)
    case FrameType.RES:
      return ResolutionFrame.validate(buffer, offset, available)
    case FrameType.RSP_SETUP:
      return ResponseSetupFrame.validate(buffer, offset, available)
    default:
      return FrameFault.UNKNOWN_TYPE
  }
}

/**
 * Checks a datagram whose first frame is DATA or PAD. Returns the bytes of the term that it covers, 0 for a heartbeat,
 * or a fault. That they end within the term is for the image to check, which knows the term length.
 */
const validateData = (buffer: FrameBuffer, offset: number, length: number): number => {
  const start = validateStart(buffer, offset, length)
  if (start <= 0) {
    return start
  }
  const end = offset + length
  let frameOffset = offset
  let covered = 0
  while (frameOffset < end) {
    const alignedLength = validateNext(buffer, offset, frameOffset, end, covered)
    if (alignedLength < 0) {
      return alignedLength
    }
    covered += alignedLength
    frameOffset += wireLength(buffer, frameOffset)
  }
  return covered
}

/** Checks what can be told from the first header. Returns `length` when frames follow, 0 for a heartbeat, or a fault. */
export const validateStart = (buffer: FrameBuffer, offset: number, length: number): number => {
  if (length < DataFrame.HEADER_LENGTH) {
    return FrameFault.TOO_SHORT
  }
  const termOffset = DataFrame.termOffset(buffer, offset)
  const misaligned = (length | termOffset) & (HeaderDescriptor.FRAME_ALIGNMENT - 1)
  if (misaligned !== 0 || termOffset < 0) {
    return FrameFault.ALIGNMENT
  }
  if (!DataFrame.isHeartbeat(buffer, offset)) {
    return length
  }
  return length > DataFrame.HEADER_LENGTH ? FrameFault.FRAME_LENGTH : DataFrame.validate(buffer, offset, length)
}

/**
 * Checks the frame at `frameOffset` of a datagram that starts at `offset` and has covered `covered` bytes of the term
 * so far. Returns how much of the term the frame covers, or a fault. The next one is `wireLength` further.
 */
export const validateNext = (
  buffer: FrameBuffer,
  offset: number,
  frameOffset: number,
  end: number,
  covered: number
): number => {
  if (!continues(buffer, offset, frameOffset, DataFrame.termOffset(buffer, offset) + covered)) {
    return FrameFault.SEQUENCE
  }
  const isPad = HeaderDescriptor.type(buffer, frameOffset) === FrameType.PAD
  const frameLength = isPad
    ? PadFrame.validate(buffer, frameOffset, end - frameOffset)
    : DataFrame.validate(buffer, frameOffset, end - frameOffset)
  if (frameLength <= 0) {
    return frameLength === 0 ? FrameFault.FRAME_LENGTH : frameLength
  }
  const isCut = isPad && frameLength > PadFrame.HEADER_LENGTH
  const isLast = frameOffset + PadFrame.HEADER_LENGTH === end
  return isCut && !isLast ? FrameFault.SEQUENCE : align(frameLength, HeaderDescriptor.FRAME_ALIGNMENT)
}

/** Whether the frame at `frameOffset` is the next one of the stream and term that the datagram starts in. */
const continues = (buffer: FrameBuffer, firstOffset: number, frameOffset: number, termOffset: number): boolean => {
  const type = HeaderDescriptor.type(buffer, frameOffset)
  return (
    (type === FrameType.DATA || type === FrameType.PAD) &&
    DataFrame.termOffset(buffer, frameOffset) === termOffset &&
    DataFrame.termId(buffer, frameOffset) === DataFrame.termId(buffer, firstOffset) &&
    DataFrame.sessionId(buffer, frameOffset) === DataFrame.sessionId(buffer, firstOffset) &&
    DataFrame.streamId(buffer, frameOffset) === DataFrame.streamId(buffer, firstOffset)
  )
}

/** Bytes that a validated frame takes in its datagram, alignment of DATA included. The next frame starts behind them. */
export const wireLength = (buffer: FrameBuffer, offset: number): number => {
  const frameLength = HeaderDescriptor.frameLength(buffer, offset)
  switch (HeaderDescriptor.type(buffer, offset)) {
    case FrameType.PAD:
      return PadFrame.HEADER_LENGTH
    case FrameType.DATA:
      return frameLength === 0 ? DataFrame.HEADER_LENGTH : align(frameLength, HeaderDescriptor.FRAME_ALIGNMENT)
    default:
      return frameLength
  }
}
