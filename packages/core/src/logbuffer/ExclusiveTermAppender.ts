/**
 * Appends to a log that has one writer: its place is kept here, and the shared tail only follows, so that drivers and
 * unblockers can see it. The tail takes a 32-bit store of its low half while the term stays the same; only the writer
 * itself may do that, and only because nobody else changes the high half.
 */
import type { FrameBuffer } from "../frame/FrameBuffer.ts"
import { assert } from "../memory/Assert.ts"
import { storeRelease } from "../memory/Ordering.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"
import { activeTermCountAcquire } from "./LogBufferMetadata.ts"
import { InvalidLog, type LogBuffers } from "./LogBuffers.ts"
import * as LogRotation from "./LogRotation.ts"
import { MessageAppender } from "./MessageAppender.ts"
import { ADMIN_ACTION, MAX_POSITION_EXCEEDED } from "./OfferResult.ts"
import * as TermBlock from "./TermBlock.ts"
import { TermTail } from "./TermTail.ts"

export class ExclusiveTermAppender extends MessageAppender {
  private termCount: number
  private termBeginPosition: number
  /** Where the next frame goes. */
  private tailOffset: number
  /** Index of the low word of the active tail. */
  private tailWord: number

  /** Goes on where the log's tail stands. */
  constructor(log: LogBuffers) {
    super(log)
    this.termCount = activeTermCountAcquire(log.metadata)
    const partitionIndex = LogBufferDescriptor.indexByTermCount(this.termCount)
    const tail = new TermTail(log.metadata)
    tail.load(partitionIndex)
    const termCount = LogBufferDescriptor.computeTermCount(tail.termId, log.initialTermId)
    if (termCount !== this.termCount || tail.termOffset % F.FRAME_ALIGNMENT !== 0) {
      const expected = `the active term count is ${this.termCount}`
      throw new InvalidLog(log.region.state.name, `tail of term ${tail.termId}`, tail.termOffset, expected)
    }
    this.term = log.terms[partitionIndex]!
    this.termId = tail.termId
    this.tailOffset = Math.min(tail.termOffset, log.termLength)
    this.termBeginPosition = this.termCount * log.termLength
    this.tailWord = LogBufferDescriptor.tailCounterOffset(partitionIndex) >>> 2
  }

  position(): number {
    assertOpen(this.metadata.state)
    return this.termBeginPosition + this.tailOffset
  }

  reserve(framedLength: number): number {
    assertOpen(this.metadata.state)
    const termOffset = this.tailOffset
    const resultingOffset = termOffset + framedLength
    storeRelease(this.metadata.int32, this.tailWord, resultingOffset)
    this.termOffset = termOffset
    if (resultingOffset > this.termLength) {
      return this.onEndOfTerm()
    }
    this.tailOffset = resultingOffset
    this.endPosition = this.termBeginPosition + resultingOffset
    return 0
  }

  /**
   * Appends PAD of `length` bytes behind its header, at most `maxMessageLength`: a stretch of the stream that is never
   * delivered.
   */
  appendPadding(length: number): number {
    assert(length >= 0 && length <= this.maxMessageLength, "padding is longer than the maximum message length")
    const frameLength = length + F.HEADER_LENGTH
    const refusal = this.reserve(F.alignFrame(frameLength))
    if (refusal < 0) {
      return refusal
    }
    this.header.pad(this.term, this.termOffset, frameLength, this.termId)
    return this.endPosition
  }

  /** Bytes left in the term that the next frame goes into: what a block may have. */
  remaining(): number {
    return this.tailOffset === this.termLength ? this.termLength : this.termLength - this.tailOffset
  }

  /**
   * Appends frames that are complete already, headers and all, as they come from a recording: `length` bytes of
   * `source`, whole aligned frames of this session and stream whose term id and term offsets are the ones that come
   * next here. The block must fit the rest of the term (`remaining`). Refused with `InvalidBlock` before anything is
   * written.
   *
   * @returns the position behind the block, or MAX_POSITION_EXCEEDED
   */
  appendBlock(source: FrameBuffer, offset: number, length: number): number {
    assertOpen(this.metadata.state)
    if (this.tailOffset === this.termLength) {
      if (this.termBeginPosition + this.termLength >= this.positionMax) {
        return MAX_POSITION_EXCEEDED
      }
      this.rotate()
    }
    TermBlock.check(source, offset, length, this.header, this.termId, this.tailOffset, this.termLength)
    const refusal = this.reserve(length)
    assert(refusal === 0, "a block that was found to fit the term did not")
    TermBlock.write(this.term, this.termOffset, source, offset, length)
    return this.endPosition
  }

  private onEndOfTerm(): number {
    const paddingLength = this.termLength - this.termOffset
    if (paddingLength > 0) {
      this.header.pad(this.term, this.termOffset, paddingLength, this.termId)
      this.tailOffset = this.termLength
    }
    if (this.termBeginPosition + this.termLength >= this.positionMax) {
      return MAX_POSITION_EXCEEDED
    }
    this.rotate()
    return ADMIN_ACTION
  }

  private rotate(): void {
    this.termCount += 1
    this.termId = (this.termId + 1) | 0
    this.termBeginPosition += this.termLength
    this.tailOffset = 0
    const partitionIndex = LogBufferDescriptor.indexByTermCount(this.termCount)
    this.term = this.terms[partitionIndex]!
    this.tailWord = LogBufferDescriptor.tailCounterOffset(partitionIndex) >>> 2
    LogRotation.rotateExclusive(this.metadata, this.termCount, this.termId)
  }
}
