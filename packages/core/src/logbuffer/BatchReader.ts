/**
 * Reads one image into batches. A batch of whole messages is the log itself, borrowed; a message of several fragments
 * becomes a batch of its own in the assembler's slab.
 */
import * as FrameFlags from "../frame/FrameFlags.ts"
import * as FrameType from "../frame/FrameType.ts"
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"
import { COMPLETE, FragmentAssembler } from "./FragmentAssembler.ts"
import type { FragmentBatch } from "./FragmentBatch.ts"
import { FragmentHeader } from "./FragmentHeader.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"
import type { LogBuffers } from "./LogBuffers.ts"

export class BatchReader {
  /** Behind everything read, PAD and fragments of an unfinished message included: the next read begins here. */
  position: number
  private readonly log: LogBuffers
  private readonly assembler: FragmentAssembler
  private readonly header = new FragmentHeader()
  private isAssembling = false
  /** Behind the last message of the last batch: there the next one begins. */
  private messagePosition: number

  constructor(log: LogBuffers, position: number) {
    assert(position >= 0 && position % F.FRAME_ALIGNMENT === 0, "a reader begins at a frame boundary")
    this.log = log
    this.position = position
    this.messagePosition = position
    this.assembler = new FragmentAssembler(LogBufferDescriptor.maxMessageLength(log.termLength))
  }

  /** Messages given up because fragments of them were missing. */
  get droppedCount(): number {
    return this.assembler.droppedCount
  }

  /**
   * Fills the batch with the next messages that are there, of one term, at most its capacity or `countLimit` of them, and
   * about `lengthLimit` bytes of log, and none of a frame that begins at `positionLimit` or behind it. What the batch held before is no
   * longer valid. `position` moves although no message was found when there was PAD or part of a message.
   *
   * @returns the number of messages
   */
  read(
    batch: FragmentBatch,
    lengthLimit: number = Infinity,
    countLimit: number = Infinity,
    positionLimit: number = Infinity
  ): number {
    const log = this.log
    assertOpen(log.metadata.state)
    assert(!batch.isOwned, "an owned batch is not read into again")
    assert(countLimit > 0, "a batch is read for at least one message")
    const countMax = Math.min(batch.capacity, countLimit)
    batch.count = 0
    let position: number
    let wasAssembling: boolean
    do {
      position = this.position
      if (position >= positionLimit) {
        break
      }
      wasAssembling = this.isAssembling
      const term = log.terms[LogBufferDescriptor.indexByPosition(position, log.termLength)]!
      const termOffset = LogBufferDescriptor.computeTermOffset(position, log.termLength)
      const bound = positionLimit - position
      this.position += wasAssembling
        ? this.readFragments(term, termOffset, batch, bound)
        : this.readWhole(term, termOffset, batch, Math.min(lengthLimit, bound), countMax)
    } while (batch.count === 0 && (this.position > position || this.isAssembling !== wasAssembling))
    if (batch.count > 0) {
      batch.startPosition = this.messagePosition
      this.messagePosition = batch.positions[batch.count - 1]!
    }
    return batch.count
  }

  /**
   * Takes back message `index` of the batch that the last read filled, and all behind it: they are read again. Of a message in
   * fragments only the last fragment is: the log of the others may have been given back before the message was whole.
   */
  takeBack(batch: FragmentBatch, index: number): void {
    assert(index >= 0 && index < batch.count, "a message is taken back that the batch does not have")
    this.messagePosition = index === 0 ? batch.startPosition : batch.positions[index - 1]!
    if (batch.state === undefined) {
      this.position -= F.alignFrame(this.assembler.retract() + F.HEADER_LENGTH)
      this.isAssembling = true
    } else {
      this.position = batch.positions[index]! - F.alignFrame(batch.lengths[index]! + F.HEADER_LENGTH)
    }
  }

  /** Goes on behind `length` bytes of frames that were taken as they are. A message that they cut in two is given up. */
  skip(length: number): void {
    assert(length >= 0 && length % F.FRAME_ALIGNMENT === 0, "a reader skips whole frames")
    this.position += length
    this.messagePosition = this.position
    if (this.isAssembling) {
      this.isAssembling = false
      this.assembler.abandon()
    }
  }

  /** Whole messages, up to the first fragment of a longer one. @returns the bytes read */
  private readWhole(
    term: AtomicBuffer,
    termOffset: number,
    batch: FragmentBatch,
    lengthLimit: number,
    countMax: number
  ): number {
    const words = term.int32
    const { flags, lengths, offsets, positions } = batch
    const endOffset = Math.min(term.length, termOffset + lengthLimit)
    const termBeginPosition = this.position - termOffset
    let offset = termOffset
    let count = 0
    while (count < countMax && offset < endOffset) {
      const frameLength = F.frameLengthAcquire(term, offset)
      if (frameLength <= 0) {
        break
      }
      F.checkFrameLength(term, offset, frameLength)
      const nextOffset = offset + F.alignFrame(frameLength)
      const versionFlagsType = words[(offset >>> 2) + F.VERSION_FLAGS_TYPE_WORD]!
      const frameFlags = F.flagsOf(versionFlagsType)
      if (F.typeOf(versionFlagsType) === FrameType.PAD) {
        offset = nextOffset
        if (count > 0) {
          // A batch is one piece of log without holes, so that owning it copies messages and nothing else.
          break
        }
        continue
      }
      if ((frameFlags & FrameFlags.UNFRAGMENTED) !== FrameFlags.UNFRAGMENTED) {
        this.isAssembling = true
        break
      }
      offsets[count] = offset + F.HEADER_LENGTH
      lengths[count] = frameLength - F.HEADER_LENGTH
      positions[count] = termBeginPosition + nextOffset
      flags[count] = frameFlags
      count += 1
      offset = nextOffset
    }
    if (count > 0) {
      batch.setFrames(term, this.log.sessionId, this.log.streamId, count)
    }
    return offset - termOffset
  }

  /** Fragments, up to the end of the message or to something that is no fragment. @returns the bytes read */
  private readFragments(term: AtomicBuffer, termOffset: number, batch: FragmentBatch, lengthLimit: number): number {
    const termLength = term.length
    const endOffset = Math.min(termLength, termOffset + lengthLimit)
    const assembler = this.assembler
    const header = this.header
    const termBeginPosition = this.position - LogBufferDescriptor.computeTermOffset(this.position, termLength)
    let offset = termOffset
    while (offset < endOffset) {
      const frameLength = F.frameLengthAcquire(term, offset)
      if (frameLength <= 0) {
        break
      }
      F.checkFrameLength(term, offset, frameLength)
      const nextOffset = offset + F.alignFrame(frameLength)
      const versionFlagsType = term.int32[(offset >>> 2) + F.VERSION_FLAGS_TYPE_WORD]!
      const isWhole = (F.flagsOf(versionFlagsType) & FrameFlags.UNFRAGMENTED) === FrameFlags.UNFRAGMENTED
      if (isWhole || F.typeOf(versionFlagsType) === FrameType.PAD) {
        // Padding or another message where a fragment was due: the rest of this message will never come.
        this.isAssembling = false
        assembler.abandon()
        break
      }
      header.wrap(term, offset, termBeginPosition + nextOffset)
      const payloadOffset = offset + F.HEADER_LENGTH
      offset = nextOffset
      if (assembler.onFragment(term.bytes, payloadOffset, frameLength - F.HEADER_LENGTH, header) === COMPLETE) {
        this.isAssembling = false
        batch.setAssembled(assembler)
        break
      }
    }
    return offset - termOffset
  }
}
