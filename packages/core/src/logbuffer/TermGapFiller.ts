/** Gives lost data up: puts PAD in its place, for subscriptions that do not ask for it again (`reliable=false`). */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assert } from "../memory/Assert.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import type { HeaderWriter } from "./HeaderWriter.ts"
import { assertOffset } from "./TermReader.ts"

/**
 * Fills the gap when nothing has arrived in it meanwhile. For the thread that inserts.
 *
 * @returns false when something is there: the gap is to be scanned for anew
 */
export const tryFillGap = (
  header: HeaderWriter,
  term: AtomicBuffer,
  termId: number,
  gapOffset: number,
  gapLength: number
): boolean => {
  assertOpen(term.state)
  assertOffset(term, gapOffset)
  assertOffset(term, gapOffset + gapLength)
  assert(gapLength > 0, "a gap has no length")
  for (let offset = gapOffset + gapLength - F.FRAME_ALIGNMENT; offset >= gapOffset; offset -= F.FRAME_ALIGNMENT) {
    if (F.frameLengthAcquire(term, offset) !== 0) {
      return false
    }
  }
  header.resetToPadding(term, gapOffset, gapLength, termId)
  return true
}
