/**
 * Zeroes the part of a log that every subscriber has read, ahead of the appenders: a frame length of 0 is what says
 * "nothing here yet", so a term must be clean before it is written again.
 *
 * The first 8 bytes of a range are zeroed last. They hold the first frame's length, which a late reader or unblocker
 * looks at: it must not see 0 there while old frames still follow.
 */
import { indexByPosition } from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"

const FIRST_LENGTH = 8

export class LogCleaner {
  private readonly log: LogBuffers
  private cleanPosition: number

  constructor(log: LogBuffers, position: number) {
    this.log = log
    this.cleanPosition = position
  }

  /** Cleans towards `position`, at most to the end of a term a call. */
  cleanTo(position: number): void {
    const cleanPosition = this.cleanPosition
    if (position <= cleanPosition) {
      return
    }
    const termLength = this.log.termLength
    const term = this.log.terms[indexByPosition(cleanPosition, termLength)]!
    const termOffset = cleanPosition % termLength
    const length = Math.min(position - cleanPosition, termLength - termOffset)
    term.bytes.fill(0, termOffset + FIRST_LENGTH, termOffset + length)
    Atomics.store(term.int64, termOffset / 8, 0n)
    this.cleanPosition = cleanPosition + length
  }
}
