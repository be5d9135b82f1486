/**
 * How far a block of whole frames reaches, for consumers that take the log in one piece: a recorder that writes it to
 * a file, headers and all.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import { assertOffset } from "./TermReader.ts"

/**
 * The end of the block that begins at `termOffset` and does not reach beyond `limitOffset`. PAD ends a block; PAD at
 * its beginning is a block of its own, and may reach beyond the limit, since nobody has to read its body.
 */
export const scan = (term: AtomicBuffer, termOffset: number, limitOffset: number): number => {
  assertOpen(term.state)
  assertOffset(term, termOffset)
  const limit = Math.min(limitOffset, term.length)
  let offset = termOffset
  while (offset < limit) {
    const frameLength = F.frameLengthAcquire(term, offset)
    if (frameLength <= 0) {
      break
    }
    F.checkFrameLength(term, offset, frameLength)
    const nextOffset = offset + F.alignFrame(frameLength)
    if (F.isPadding(term, offset)) {
      return offset === termOffset ? nextOffset : offset
    }
    if (nextOffset > limit) {
      break
    }
    offset = nextOffset
  }
  return offset
}
