/** From the fault codes of the kernels to the typed error, with what was seen read from the bytes again. */
import * as DataFrame from "../frame/DataFrame.ts"
import * as ErrorFrame from "../frame/ErrorFrame.ts"
import type { FrameBuffer } from "../frame/FrameBuffer.ts"
import * as FrameFault from "../frame/FrameFault.ts"
import * as FrameType from "../frame/FrameType.ts"
import * as HeaderDescriptor from "../frame/HeaderDescriptor.ts"
import * as NakFrame from "../frame/NakFrame.ts"
import * as ResolutionEntryDescriptor from "../frame/ResolutionEntryDescriptor.ts"
import * as ResolutionFrame from "../frame/ResolutionFrame.ts"
import * as ResponseSetupFrame from "../frame/ResponseSetupFrame.ts"
import * as RttMeasurementFrame from "../frame/RttMeasurementFrame.ts"
import * as SetupFrame from "../frame/SetupFrame.ts"
import * as StatusMessageFrame from "../frame/StatusMessageFrame.ts"
import * as FrameErrors from "../FrameError.ts"
import { assert } from "../memory/Assert.ts"

/** The error for a fault of the frame at `offset`, which has `available` bytes to the end of the input. */
export const frameError = (
  fault: number,
  buffer: FrameBuffer,
  offset: number,
  available: number
): FrameErrors.FrameError => new FrameErrors.FrameError({ offset, reason: reasonOf(fault, buffer, offset, available) })

/** The error for a frame that should have continued a datagram at this place of the term, or should not be there. */
export const brokenSequence = (offset: number, expectedTermOffset: number | undefined): FrameErrors.FrameError =>
  new FrameErrors.FrameError({ offset, reason: new FrameErrors.BrokenSequence({ expectedTermOffset }) })

const reasonOf = (
  fault: number,
  buffer: FrameBuffer,
  offset: number,
  available: number
): FrameErrors.FrameErrorReason => {
  switch (fault) {
    case FrameFault.TOO_SHORT:
      return new FrameErrors.FrameTooShort({
        availableBytes: available,
        requiredBytes: fixedLength(buffer, offset, available)
      })
    case FrameFault.VERSION:
      return new FrameErrors.UnsupportedVersion({ version: HeaderDescriptor.version(buffer, offset) })
    case FrameFault.ALIGNMENT:
      return new FrameErrors.Misaligned({
        datagramLength: available,
        termOffset: DataFrame.termOffset(buffer, offset)
      })
    case FrameFault.TEXT_LENGTH:
      return new FrameErrors.InvalidTextLength({
        textLength: ErrorFrame.textLength(buffer, offset),
        maximum: Math.min(
          HeaderDescriptor.frameLength(buffer, offset) - ErrorFrame.HEADER_LENGTH,
          ErrorFrame.MAX_TEXT_LENGTH
        )
      })
    case FrameFault.ENTRY:
      return new FrameErrors.InvalidEntry({ entryOffset: faultyEntry(buffer, offset) })
    default:
      assert(fault === FrameFault.FRAME_LENGTH, "a fault has a reason")
      return new FrameErrors.InvalidFrameLength({
        frameLength: HeaderDescriptor.frameLength(buffer, offset),
        minimum: fixedLength(buffer, offset, available),
        maximum: Math.min(available, HeaderDescriptor.MAX_DATAGRAM_LENGTH)
      })
  }
}

/** Bytes of the fixed part of the frame at `offset`; of the common header when not even that is there. */
const fixedLength = (buffer: FrameBuffer, offset: number, available: number): number => {
  if (available < HeaderDescriptor.MIN_HEADER_LENGTH) {
    return HeaderDescriptor.MIN_HEADER_LENGTH
  }
  switch (HeaderDescriptor.type(buffer, offset)) {
    case FrameType.PAD:
    case FrameType.DATA:
      return DataFrame.HEADER_LENGTH
    case FrameType.NAK:
      return NakFrame.HEADER_LENGTH
    case FrameType.SM:
      return StatusMessageFrame.HEADER_LENGTH
    case FrameType.ERR:
      return ErrorFrame.HEADER_LENGTH
    case FrameType.SETUP:
      return SetupFrame.HEADER_LENGTH
    case FrameType.RTTM:
      return RttMeasurementFrame.HEADER_LENGTH
    case FrameType.RSP_SETUP:
      return ResponseSetupFrame.HEADER_LENGTH
    default:
      return HeaderDescriptor.MIN_HEADER_LENGTH
  }
}

const faultyEntry = (buffer: FrameBuffer, offset: number): number => {
  const frameLength = HeaderDescriptor.frameLength(buffer, offset)
  let entryOffset = ResolutionFrame.ENTRIES_OFFSET
  while (entryOffset < frameLength) {
    const length = ResolutionEntryDescriptor.validate(buffer, offset + entryOffset, frameLength - entryOffset)
    if (length < 0) {
      break
    }
    entryOffset += length
  }
  return entryOffset
}
