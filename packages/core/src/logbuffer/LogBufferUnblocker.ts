/** Frees a log whose readers cannot go on: a claim that was never published, or a rotation that was never finished. */
import { assert } from "../memory/Assert.ts"
import { assertOpen } from "../memory/RegionState.ts"
import { HeaderWriter } from "./HeaderWriter.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"
import { activeTermCountAcquire } from "./LogBufferMetadata.ts"
import type { LogBuffers } from "./LogBuffers.ts"
import * as LogRotation from "./LogRotation.ts"
import { TermTail } from "./TermTail.ts"
import * as TermUnblocker from "./TermUnblocker.ts"

export class LogBufferUnblocker {
  private readonly log: LogBuffers
  private readonly header: HeaderWriter
  private readonly tail: TermTail

  constructor(log: LogBuffers) {
    this.log = log
    this.header = new HeaderWriter(log.metadata)
    this.tail = new TermTail(log.metadata)
  }

  /**
   * Unblocks at the position where every reader stands still. With no writers left a claim of which nothing is written
   * ends at the tail.
   *
   * @returns true when something was done
   */
  unblock(blockedPosition: number, hasWriters = true): boolean {
    const { log, tail } = this
    const { metadata, termLength } = log
    assertOpen(metadata.state)
    assert(blockedPosition >= 0, "a blocked position is negative")
    const blockedTermCount = Math.floor(blockedPosition / termLength)
    const blockedOffset = LogBufferDescriptor.computeTermOffset(blockedPosition, termLength)
    const activeTermCount = activeTermCountAcquire(metadata)
    if (activeTermCount === blockedTermCount - 1 && blockedOffset === 0) {
      // The readers are through the term whose writer filled it and died before it rotated.
      tail.load(LogBufferDescriptor.indexByTermCount(activeTermCount))
      return this.rotate(activeTermCount, tail.termId)
    }
    const blockedIndex = LogBufferDescriptor.indexByTermCount(blockedTermCount)
    tail.load(blockedIndex)
    const termId = tail.termId
    const tailOffset = Math.min(tail.termOffset, termLength)
    const term = log.terms[blockedIndex]!
    const status = TermUnblocker.unblock(this.header, term, blockedOffset, tailOffset, termId, hasWriters)
    if (status === TermUnblocker.UNBLOCKED_TO_END) {
      this.rotate(blockedTermCount, termId)
    }
    return status !== TermUnblocker.NO_ACTION
  }

  /** The last term of a stream has no next one. */
  private rotate(termCount: number, termId: number): boolean {
    const { metadata, termLength } = this.log
    if ((termCount + 1) * termLength >= LogBufferDescriptor.positionMax(termLength)) {
      return false
    }
    LogRotation.rotate(metadata, termCount, termId)
    return true
  }
}
