/**
 * A frame claimed in a term, to be filled in place: write the payload to `buffer.bytes` from `offset`, `length` bytes,
 * then `commit`, or `abort`, which leaves padding. Until one of them the frame holds up every reader of the log; a
 * claim that is never ended is unblocked by the driver after a timeout.
 *
 * One object serves for many claims, one after another. The bytes are the log itself: they are the claimant's until
 * `commit` or `abort`, and never after.
 */
import * as DataFrame from "../frame/DataFrame.ts"
import * as FrameType from "../frame/FrameType.ts"
import * as HeaderDescriptor from "../frame/HeaderDescriptor.ts"
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as F from "./FrameDescriptor.ts"

export class BufferClaim {
  private term: AtomicBuffer | undefined = undefined
  private frameOffset = 0
  private frameLength = 0

  /** Called by an appender whose claim succeeded. */
  wrap(term: AtomicBuffer, frameOffset: number, frameLength: number): void {
    assert(this.term === undefined, "a claim was begun before the last one was committed or aborted")
    this.term = term
    this.frameOffset = frameOffset
    this.frameLength = frameLength
  }

  get isOpen(): boolean {
    return this.term !== undefined
  }

  /** The term that the payload lies in. */
  get buffer(): AtomicBuffer {
    return this.claimed()
  }

  /** Where the payload begins in `buffer`. */
  get offset(): number {
    return this.frameOffset + F.HEADER_LENGTH
  }

  /** Bytes of payload. */
  get length(): number {
    return this.frameLength - F.HEADER_LENGTH
  }

  get flags(): number {
    return HeaderDescriptor.flags(this.claimed(), this.frameOffset)
  }

  set flags(value: number) {
    HeaderDescriptor.setFlags(this.claimed(), this.frameOffset, value)
  }

  get reservedValue(): bigint {
    return DataFrame.reservedValue(this.claimed(), this.frameOffset)
  }

  set reservedValue(value: bigint) {
    DataFrame.setReservedValue(this.claimed(), this.frameOffset, value)
  }

  /** Publishes the frame with what was written to it. */
  commit(): void {
    F.frameLengthRelease(this.claimed(), this.frameOffset, this.frameLength)
    this.term = undefined
  }

  /** Gives the frame up: readers step over it. */
  abort(): void {
    const term = this.claimed()
    HeaderDescriptor.setType(term, this.frameOffset, FrameType.PAD)
    F.frameLengthRelease(term, this.frameOffset, this.frameLength)
    this.term = undefined
  }

  private claimed(): AtomicBuffer {
    const term = this.term
    assert(term !== undefined, "a claim was used after it was committed or aborted")
    assertOpen(term.state)
    return term
  }
}
