/**
 * Frees the readers of a term whose next frame was claimed and never published: its writer died or hangs. Called by a
 * driver after a timeout much longer than any writer takes between two stores, so what it reads has long settled.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import type { HeaderWriter } from "./HeaderWriter.ts"
import { assertOffset } from "./TermReader.ts"

/** Nothing was blocked, or it is not known yet how far the abandoned claim reaches. */
export const NO_ACTION = 0
/** PAD is in the place of the claim. */
export const UNBLOCKED = 1
/** PAD is in the place of the claim, up to the end of the term: the log may have to be rotated too. */
export const UNBLOCKED_TO_END = 2

/**
 * Looks at `blockedOffset`, where the readers stand.
 *
 * - A negative length says how long the claim was: that becomes PAD.
 * - 0 is a claim whose writer died between moving the tail and its first store. It ends where the next frame begins,
 *   or where the term ends when the tail is there. Until one of the two is seen, its length is not known; with no
 *   writer left it ends at the tail, wherever that is.
 */
export const unblock = (
  header: HeaderWriter,
  term: AtomicBuffer,
  blockedOffset: number,
  tailOffset: number,
  termId: number,
  hasWriters = true
): number => {
  assertOpen(term.state)
  assertOffset(term, blockedOffset)
  assertOffset(term, tailOffset)
  if (blockedOffset === term.length) {
    return NO_ACTION
  }
  const frameLength = F.frameLengthAcquire(term, blockedOffset)
  if (frameLength < 0) {
    F.checkFrameLength(term, blockedOffset, -frameLength)
    header.resetToPadding(term, blockedOffset, -frameLength, termId)
    return UNBLOCKED
  }
  return frameLength === 0 ? unblockUnwritten(header, term, blockedOffset, tailOffset, termId, hasWriters) : NO_ACTION
}

const unblockUnwritten = (
  header: HeaderWriter,
  term: AtomicBuffer,
  blockedOffset: number,
  tailOffset: number,
  termId: number,
  hasWriters: boolean
): number => {
  let offset = blockedOffset + F.FRAME_ALIGNMENT
  while (offset < tailOffset && F.frameLengthAcquire(term, offset) === 0) {
    offset += F.FRAME_ALIGNMENT
  }
  if (offset < tailOffset || (!hasWriters && offset === tailOffset && offset < term.length)) {
    // The writer may have woken up while the scan ran over its range. Seen from behind, an untouched range is untouched.
    if (!isZeroed(term, blockedOffset, offset)) {
      return NO_ACTION
    }
    header.resetToPadding(term, blockedOffset, offset - blockedOffset, termId)
    return UNBLOCKED
  }
  if (offset === term.length && F.frameLengthAcquire(term, blockedOffset) === 0) {
    header.resetToPadding(term, blockedOffset, offset - blockedOffset, termId)
    return UNBLOCKED_TO_END
  }
  return NO_ACTION
}

const isZeroed = (term: AtomicBuffer, begin: number, end: number): boolean => {
  for (let offset = end - F.FRAME_ALIGNMENT; offset >= begin; offset -= F.FRAME_ALIGNMENT) {
    if (F.frameLengthAcquire(term, offset) !== 0) {
      return false
    }
  }
  return true
}
