/**
 * Reading with a say in how far the reader's position moves: the handler answers each frame with one of four actions.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import type { FragmentHeader } from "./FragmentHeader.ts"
import { assertOffset, type TermCursor } from "./TermReader.ts"

/** Go on; the position moves at the end of the read. */
export const CONTINUE = 0
/** Move the position behind this frame now, and go on. */
export const COMMIT = 1
/** Stop behind this frame. */
export const BREAK = 2
/** Stop before this frame: it is read again next time. */
export const ABORT = 3

export type Action = typeof CONTINUE | typeof COMMIT | typeof BREAK | typeof ABORT

export type ControlledFragmentHandler = (
  bytes: Uint8Array<ArrayBufferLike>,
  offset: number,
  length: number,
  header: FragmentHeader
) => Action

/**
 * As `TermReader.read`, under the control of the handler. `commit` is called with the position that a COMMIT asks for;
 * what the read ends with is in `cursor.termOffset` and is the caller's to publish.
 *
 * @returns how many frames were taken; an aborted one is not
 */
export const read = (
  term: AtomicBuffer,
  termBeginPosition: number,
  cursor: TermCursor,
  fragmentLimit: number,
  handler: ControlledFragmentHandler,
  commit: (position: number) => void
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
    if (F.isPadding(term, frameOffset)) {
      continue
    }
    header.wrap(term, frameOffset, termBeginPosition + offset)
    const action = handler(bytes, frameOffset + F.HEADER_LENGTH, frameLength - F.HEADER_LENGTH, header)
    if (action === ABORT) {
      cursor.termOffset = frameOffset
      break
    }
    count += 1
    if (action === BREAK) {
      break
    }
    if (action === COMMIT) {
      commit(termBeginPosition + offset)
    }
  }
  return count
}
