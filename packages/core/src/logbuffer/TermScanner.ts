/**
 * How much a sender can put into one datagram: whole frames, up to the MTU. PAD is sent as its header alone, and says
 * there how long it is.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import { assertOffset } from "./TermReader.ts"

/** The part of a scan that is not sent. */
export class TermScan {
  /** Bytes of PAD behind the last header of the datagram: the position moves over them, the wire does not see them. */
  padding = 0
}

/**
 * Scans from `termOffset` for at most `maxLength` bytes.
 *
 * @returns the bytes to send, 0 when there is nothing, or minus the length of a first frame that exceeds `maxLength`
 */
export const scanForAvailability = (
  term: AtomicBuffer,
  termOffset: number,
  maxLength: number,
  scan: TermScan
): number => {
  assertOpen(term.state)
  assertOffset(term, termOffset)
  const limit = Math.min(maxLength, term.length - termOffset)
  let available = 0
  scan.padding = 0
  while (available < limit) {
    const offset = termOffset + available
    const frameLength = F.frameLengthAcquire(term, offset)
    if (frameLength <= 0) {
      break
    }
    F.checkFrameLength(term, offset, frameLength)
    const isPadding = F.isPadding(term, offset)
    const alignedLength = F.alignFrame(frameLength)
    const sentLength = isPadding ? F.HEADER_LENGTH : alignedLength
    if (available + sentLength > limit) {
      return available === 0 ? -sentLength : available
    }
    available += sentLength
    if (isPadding) {
      scan.padding = alignedLength - F.HEADER_LENGTH
      break
    }
  }
  return available
}
