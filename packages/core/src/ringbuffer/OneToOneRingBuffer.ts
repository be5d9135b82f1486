/**
 * A ring of one producer and one consumer. The producer moves the tail by a plain release store and makes no BigInt.
 *
 * Invariant: the header after the last record is zero. The producer zeroes it before it publishes the record before
 * it, so the consumer need not zero what it read; a record takes 8 bytes of room more for it.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Int64 from "../memory/Int64.ts"
import * as RecordDescriptor from "./RecordDescriptor.ts"
import { RingBuffer } from "./RingBuffer.ts"
import { INSUFFICIENT_CAPACITY } from "./RingBufferDescriptor.ts"

/** The least capacity: two headers. Such a ring carries no message. */
export const CAPACITY_MIN = RecordDescriptor.HEADER_LENGTH * 2

export class OneToOneRingBuffer extends RingBuffer {
  constructor(buffer: AtomicBuffer) {
    super(buffer, CAPACITY_MIN)
  }

  protected override claim(recordLength: number): number {
    const alignedLength = RecordDescriptor.alignedLength(recordLength)
    const required = alignedLength + RecordDescriptor.HEADER_LENGTH
    this.tail.loadExclusive(this.buffer, this.tailOffset)
    if (!this.hasRoom(required)) {
      return INSUFFICIENT_CAPACITY
    }

    const recordOffset = this.recordOffsetOf(this.tail.low)
    const toEnd = this.capacity - recordOffset
    if (alignedLength <= toEnd) {
      // A record that ends with the buffer has its next header at the front.
      this.zeroHeader(alignedLength === toEnd ? 0 : recordOffset + alignedLength)
      this.moveTailRelease(alignedLength)
      return recordOffset
    }

    // The record does not fit before the end: pad the end, and claim at the front if there is room for it.
    const fitsAtFront = this.hasRoomAtFront(required)
    this.zeroHeader(0)
    if (fitsAtFront) {
      this.zeroHeader(alignedLength)
    }
    this.moveTailRelease(toEnd + (fitsAtFront ? alignedLength : 0))
    this.storeLengthRelease(recordOffset, -toEnd)
    this.buffer.int32[RecordDescriptor.typeIndex(recordOffset)] = RecordDescriptor.PADDING_TYPE_ID
    this.storeLengthRelease(recordOffset, toEnd)
    return fitsAtFront ? 0 : INSUFFICIENT_CAPACITY
  }

  protected override release(_offset: number, length: number): void {
    // Release: the producer that sees the new head relies on the consumer being done with the bytes before it.
    Int64.storeSumExclusiveRelease(this.buffer, this.headOffset, this.headOffset, length)
  }

  private zeroHeader(recordOffset: number): void {
    const int32 = this.buffer.int32
    int32[RecordDescriptor.lengthIndex(recordOffset)] = 0
    int32[RecordDescriptor.typeIndex(recordOffset)] = 0
  }

  private moveTailRelease(length: number): void {
    Int64.storeSumExclusiveRelease(this.buffer, this.tailOffset, this.tailOffset, length)
  }
}
