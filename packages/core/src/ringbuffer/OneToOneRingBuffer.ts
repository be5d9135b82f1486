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
import { HEAD_CACHE_POSITION_OFFSET, INSUFFICIENT_CAPACITY } from "./RingBufferDescriptor.ts"

/** The least capacity: two headers. Such a ring carries no message. */
export const CAPACITY_MIN = RecordDescriptor.HEADER_LENGTH * 2

export class OneToOneRingBuffer extends RingBuffer {
  private readonly headCacheOffset: number
  /** A head the producer saw. */
  private headSeen: number

  constructor(buffer: AtomicBuffer) {
    super(buffer, CAPACITY_MIN)
    this.headCacheOffset = this.capacity + HEAD_CACHE_POSITION_OFFSET
    this.headSeen = this.consumerPosition
  }

  protected override claim(recordLength: number): number {
    const capacity = this.capacity
    const alignedLength = RecordDescriptor.alignedLength(recordLength)
    const required = alignedLength + RecordDescriptor.HEADER_LENGTH
    const tail = Int64.loadExclusive(this.buffer, this.tailOffset)
    if (required > capacity - (tail - this.headSeen)) {
      this.refreshHead()
      if (required > capacity - (tail - this.headSeen)) {
        return INSUFFICIENT_CAPACITY
      }
    }

    const tailOffset = this.recordOffsetOf(tail)
    const toEnd = capacity - tailOffset
    if (alignedLength <= toEnd) {
      // A record that ends with the buffer has its next header at the front.
      this.zeroHeader(alignedLength === toEnd ? 0 : tailOffset + alignedLength)
      this.storeTailRelease(tail + alignedLength)
      return tailOffset
    }

    // The record does not fit before the end: pad the end, and claim at the front if there is room for it.
    if (required > this.recordOffsetOf(this.headSeen)) {
      this.refreshHead()
    }
    const fitsAtFront = required <= this.recordOffsetOf(this.headSeen)
    this.zeroHeader(0)
    if (fitsAtFront) {
      this.zeroHeader(alignedLength)
    }
    this.storeTailRelease(tail + toEnd + (fitsAtFront ? alignedLength : 0))
    this.storeLengthRelease(tailOffset, -toEnd)
    this.buffer.int32[RecordDescriptor.typeIndex(tailOffset)] = RecordDescriptor.PADDING_TYPE_ID
    this.storeLengthRelease(tailOffset, toEnd)
    return fitsAtFront ? 0 : INSUFFICIENT_CAPACITY
  }

  protected override release(_offset: number, _length: number, head: number): void {
    // Release: the producer that sees the new head relies on the consumer being done with the bytes before it.
    Int64.storeExclusiveRelease(this.buffer, this.headOffset, head)
  }

  private zeroHeader(recordOffset: number): void {
    const int32 = this.buffer.int32
    int32[RecordDescriptor.lengthIndex(recordOffset)] = 0
    int32[RecordDescriptor.typeIndex(recordOffset)] = 0
  }

  private refreshHead(): void {
    this.headSeen = this.consumerPosition
    Int64.storeExclusiveRelease(this.buffer, this.headCacheOffset, this.headSeen)
  }

  private storeTailRelease(tail: number): void {
    Int64.storeExclusiveRelease(this.buffer, this.tailOffset, tail)
  }
}
