/**
 * RES: names and addresses that drivers gossip to each other. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                     frame length 8 + entries                  |
 *   +---------------+---------------+-------------------------------+
 *  4|    version    |       0       |           type 0x07           |
 *   +---------------+---------------+-------------------------------+
 *  8|        entries, each a multiple of 8 bytes long              ...
 * ```
 *
 * `ResolutionEntryDescriptor` describes an entry. There is at least one.
 */
import { assert } from "../memory/Assert.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameType from "./FrameType.ts"
import * as HeaderDescriptor from "./HeaderDescriptor.ts"
import * as ResolutionEntryDescriptor from "./ResolutionEntryDescriptor.ts"

export const ENTRIES_OFFSET = 8
/** Length in bytes without entries. */
export const HEADER_LENGTH = 8

assert(HEADER_LENGTH === HeaderDescriptor.MIN_HEADER_LENGTH, "entries follow the common header of a RES")
assert(HEADER_LENGTH === ENTRIES_OFFSET, "entries follow the common header of a RES")
assert(ENTRIES_OFFSET % ResolutionEntryDescriptor.ENTRY_ALIGNMENT === 0, "the first entry of a RES is aligned")

/** Checks the frame and each entry in it, which must fill it. Returns its frame length or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number => {
  const frameLength = FrameFault.checkFixedPart(buffer, offset, available, HEADER_LENGTH)
  if (frameLength < 0) {
    return frameLength
  }
  if (frameLength === HEADER_LENGTH) {
    return FrameFault.ENTRY
  }
  let entryOffset = ENTRIES_OFFSET
  while (entryOffset < frameLength) {
    const length = ResolutionEntryDescriptor.validate(buffer, offset + entryOffset, frameLength - entryOffset)
    if (length < 0) {
      return length
    }
    entryOffset += length
  }
  return frameLength
}

/** Writes the header in front of entries of `entriesLength` bytes in all. */
export const write = (buffer: FrameBuffer, offset: number, entriesLength: number): void =>
  HeaderDescriptor.write(buffer, offset, HEADER_LENGTH + entriesLength, 0, FrameType.RES)
