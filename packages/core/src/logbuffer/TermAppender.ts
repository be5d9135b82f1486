/**
 * Appends to a log that several writers share, in this process or others.
 *
 * A writer adds the length of its message to the tail of the active term, and what the tail was before is where its
 * message goes: nobody ever waits or retries for another writer. The one whose message no longer fits sees that from
 * the sum; it pads the rest of the term, rotates the log, and answers ADMIN_ACTION, upon which its caller offers
 * again. Writers that overshoot after it find nothing to pad and see to it that the log is rotated.
 */
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"
import { activeTermCountAcquire } from "./LogBufferMetadata.ts"
import { InvalidLog, type LogBuffers } from "./LogBuffers.ts"
import * as LogRotation from "./LogRotation.ts"
import { MessageAppender } from "./MessageAppender.ts"
import { ADMIN_ACTION, MAX_POSITION_EXCEEDED } from "./OfferResult.ts"
import { TermTail } from "./TermTail.ts"

export class TermAppender extends MessageAppender {
  private readonly initialTermId: number
  private readonly tail: TermTail
  private isExhausted = false

  constructor(log: LogBuffers) {
    super(log)
    this.initialTermId = log.initialTermId
    this.tail = new TermTail(log.metadata)
  }

  /** ADMIN_ACTION while another writer is in the middle of a rotation: the tail belongs to another term than the count. */
  position(): number {
    assertOpen(this.metadata.state)
    const tail = this.tail
    const termCount = activeTermCountAcquire(this.metadata)
    tail.load(LogBufferDescriptor.indexByTermCount(termCount))
    if (LogBufferDescriptor.computeTermCount(tail.termId, this.initialTermId) !== termCount) {
      return ADMIN_ACTION
    }
    return termCount * this.termLength + Math.min(tail.termOffset, this.termLength)
  }

  reserve(framedLength: number): number {
    assertOpen(this.metadata.state)
    if (this.isExhausted) {
      return MAX_POSITION_EXCEEDED
    }
    const partitionIndex = LogBufferDescriptor.indexByTermCount(activeTermCountAcquire(this.metadata))
    const tail = this.tail
    tail.getAndAdd(partitionIndex, framedLength)
    const termLength = this.termLength
    const termOffset = Math.min(tail.termOffset, termLength)
    const resultingOffset = termOffset + framedLength
    // From the tail, not from the count read above: a writer that was held up adds to the term that is there now.
    const termCount = LogBufferDescriptor.computeTermCount(tail.termId, this.initialTermId)
    if (
      termCount % LogBufferDescriptor.PARTITION_COUNT !== partitionIndex ||
      tail.termOffset % F.FRAME_ALIGNMENT !== 0
    ) {
      throw new InvalidLog(
        this.metadata.state.name,
        `tail of term ${tail.termId}`,
        tail.termOffset,
        "it was overwritten"
      )
    }
    this.term = this.terms[partitionIndex]!
    this.termOffset = termOffset
    this.termId = tail.termId
    if (resultingOffset > termLength) {
      return this.onEndOfTerm(termCount)
    }
    this.endPosition = termCount * termLength + resultingOffset
    return 0
  }

  private onEndOfTerm(termCount: number): number {
    const paddingLength = this.termLength - this.termOffset
    if (paddingLength > 0) {
      this.header.pad(this.term, this.termOffset, paddingLength, this.termId)
    }
    if ((termCount + 1) * this.termLength >= this.positionMax) {
      // Every further addition would only push the tail towards a carry into the term id.
      this.isExhausted = true
      return MAX_POSITION_EXCEEDED
    }
    LogRotation.rotate(this.metadata, termCount, this.termId)
    return ADMIN_ACTION
  }
}
