/** Finds where a received term has a hole: frames behind which nothing is, before frames that arrived. */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import { assertOffset } from "./TermReader.ts"

export class TermGap {
  offset = 0
  /** 0 when there is no gap. A multiple of 32: the gap ends at the next frame that is there, or at the limit. */
  length = 0
}

/**
 * Scans from `termOffset` to `limitOffset`, up to which something is known to have arrived, and leaves the first gap
 * in `gap`.
 *
 * A frame that is being inserted at this moment looks like a gap that ends in its payload, so the limit must not be
 * beyond what the inserting thread has announced.
 *
 * @returns where the gap begins, or the end of the frames when there is none: the rebuilt offset
 */
export const scanForGap = (term: AtomicBuffer, termOffset: number, limitOffset: number, gap: TermGap): number => {
  assertOpen(term.state)
  assertOffset(term, termOffset)
  assertOffset(term, limitOffset)
  let offset = termOffset
  while (offset < limitOffset) {
    const frameLength = F.frameLengthAcquire(term, offset)
    if (frameLength <= 0) {
      break
    }
    F.checkFrameLength(term, offset, frameLength)
    offset += F.alignFrame(frameLength)
  }
  const gapOffset = offset
  gap.offset = gapOffset
  gap.length = 0
  if (offset < limitOffset) {
    do {
      offset += F.FRAME_ALIGNMENT
    } while (offset < limitOffset && F.frameLengthAcquire(term, offset) === 0)
    gap.length = offset - gapOffset
  }
  return gapOffset
}
