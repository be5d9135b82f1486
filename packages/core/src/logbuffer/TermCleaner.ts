/**
 * Zeroes what every reader has passed, so that appenders find the term as they rely on: 0 where a frame length will be.
 * Done by the driver, behind its slowest subscriber and before it moves the publisher's limit over the range again.
 */
import { assert } from "../memory/Assert.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"
import type { LogBuffers } from "./LogBuffers.ts"

/**
 * Cleans from `cleanPosition` towards `position`, at most to the end of the term.
 *
 * @returns the position up to which the log is clean now: the next call's `cleanPosition`
 */
export const clean = (log: LogBuffers, cleanPosition: number, position: number): number => {
  assertOpen(log.metadata.state)
  assert(cleanPosition % F.FRAME_ALIGNMENT === 0, "a log is cleaned from a position that is no frame boundary")
  assert(position % F.FRAME_ALIGNMENT === 0, "a log is cleaned to a position that is no frame boundary")
  if (position <= cleanPosition) {
    return cleanPosition
  }
  const termLength = log.termLength
  const term = log.terms[LogBufferDescriptor.indexByPosition(cleanPosition, termLength)]!
  const offset = LogBufferDescriptor.computeTermOffset(cleanPosition, termLength)
  const length = Math.min(position - cleanPosition, termLength - offset)
  // The first length goes last: who sees 0 there finds 0 behind it as well.
  term.bytes.fill(0, offset + 4, offset + length)
  F.frameLengthRelease(term, offset, 0)
  return cleanPosition + length
}
