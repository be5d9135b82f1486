/**
 * Puts received DATA and PAD frames where their headers say, whatever order they arrive in. One thread inserts.
 *
 * The order of the stores is the protocol: payload of everything behind the first header, then the first header from
 * its end to its beginning, its frame length last. Until that one is stored, readers see nothing at the place; after
 * it they see the whole packet.
 */
import type { FrameBuffer } from "../frame/FrameBuffer.ts"
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Bytes from "../memory/Bytes.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import { assertOffset } from "./TermReader.ts"

const WORD_COUNT = F.HEADER_LENGTH >>> 2

/**
 * Inserts `length` bytes of `packet` from `packetOffset`, whole frames, at `termOffset`. What was inserted before is
 * never touched again: a duplicate is ignored. The frames in the packet have been validated by the receiver.
 *
 * @returns true when the packet was inserted, false when something was there already
 */
export const insert = (
  term: AtomicBuffer,
  termOffset: number,
  packet: FrameBuffer,
  packetOffset: number,
  length: number
): boolean => {
  assertOpen(term.state)
  assertOffset(term, termOffset)
  assert(length >= F.HEADER_LENGTH, "a packet is shorter than a header")
  assert(packetOffset >= 0 && packetOffset + length <= packet.bytes.length, "a packet reaches outside its buffer")
  assert(termOffset + length <= term.length, "a packet reaches beyond the end of its term")
  if (F.frameLengthAcquire(term, termOffset) !== 0) {
    return false
  }
  Bytes.copy(
    packet.bytes,
    packetOffset + F.HEADER_LENGTH,
    term.bytes,
    termOffset + F.HEADER_LENGTH,
    length - F.HEADER_LENGTH
  )
  const words = term.int32
  const view = packet.view
  const firstWord = termOffset >>> 2
  for (let word = WORD_COUNT - 1; word > 0; word--) {
    words[firstWord + word] = view.getInt32(packetOffset + 4 * word, true)
  }
  F.frameLengthRelease(term, termOffset, view.getInt32(packetOffset, true))
  return true
}
