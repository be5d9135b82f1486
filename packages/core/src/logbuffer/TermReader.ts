/**
 * Reads a term from an offset, frame by frame, up to where it is written. PAD is stepped over and never handed out.
 *
 * A reader owns its place and nobody else's: what it has read stays in the log until its owner moves the subscriber
 * position that the driver sees. Frame lengths are checked against the term (`CorruptFrame`), since other processes
 * write them.
 */
import * as FrameType from "../frame/FrameType.ts"
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import { FragmentHeader, type FragmentHandler } from "./FragmentHeader.ts"

/** A place in a term, and the header of the frame being handed over. One belongs to one image. */
export class TermCursor {
  /** Where the next frame is. Already behind a frame while that is handed over, so a handler that throws skips it. */
  termOffset = 0
  readonly header = new FragmentHeader()
}

/**
 * Hands at most `fragmentLimit` frames to the handler, beginning at `cursor.termOffset`, and leaves the cursor behind
 * what was read, PAD included. A handler that throws ends the read; the cursor is behind its frame.
 *
 * @returns how many frames were handed over
 */
export const read = (
  term: AtomicBuffer,
  termBeginPosition: number,
  cursor: TermCursor,
  fragmentLimit: number,
  handler: FragmentHandler
): number => {
  assertOpen(term.state)
  assertOffset(term, cursor.termOffset)
  const termLength = term.length
  const bytes = term.bytes
  const header = cursor.header
  let offset = cursor.termOffset
  let count = 0
  while (count < fragmentLimit && offset < termLength) {
    const frameLength = F.frameLengthAcquire(term, offset)
    if (frameLength <= 0) {
      break
    }
    F.checkFrameLength(term, offset, frameLength)
    const frameOffset = offset
    offset += F.alignFrame(frameLength)
    cursor.termOffset = offset
    if (F.typeOf(term.int32[(frameOffset >>> 2) + F.VERSION_FLAGS_TYPE_WORD]!) !== FrameType.PAD) {
      header.wrap(term, frameOffset, termBeginPosition + offset)
      count += 1
      handler(bytes, frameOffset + F.HEADER_LENGTH, frameLength - F.HEADER_LENGTH, header)
    }
  }
  return count
}

/** An offset that a position gave: inside the term, at a frame boundary. */
export const assertOffset = (term: AtomicBuffer, offset: number): void => {
  assert(offset >= 0 && offset <= term.length, "a term is read outside its length")
  assert(offset % F.FRAME_ALIGNMENT === 0, "a term is read from an offset that is no frame boundary")
}
