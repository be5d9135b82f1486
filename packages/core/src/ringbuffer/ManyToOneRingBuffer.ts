/**
 * A ring of many producers and one consumer. A producer takes room by a compare-and-set of the 64-bit tail, as Java and
 * C producers on the same ring do; it costs two or three BigInts a claim, since a 32-bit one could be fooled by a tail
 * that went round 2^32 bytes in between.
 *
 * Invariant: bytes outside records are zero. The consumer zeroes what it read before it moves the head, so the length of a
 * record that was claimed but not begun reads as 0.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Int64 from "../memory/Int64.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as RecordDescriptor from "./RecordDescriptor.ts"
import { RingBuffer } from "./RingBuffer.ts"
import { HEAD_CACHE_POSITION_OFFSET, INSUFFICIENT_CAPACITY } from "./RingBufferDescriptor.ts"

/** The least capacity: one header. Such a ring carries no message. */
export const CAPACITY_MIN = RecordDescriptor.HEADER_LENGTH

export class ManyToOneRingBuffer extends RingBuffer {
  /**
   * A head this producer saw. It is kept here and only published in the trailer's head cache: that field is written by
   * all producers and may go down, so it could not be read in two halves.
   */
  private headSeen: number
  private readonly headCacheIndex: number
  private readonly tailIndex: number

  constructor(buffer: AtomicBuffer) {
    super(buffer, CAPACITY_MIN)
    this.headSeen = this.consumerPosition
    this.headCacheIndex = (this.capacity + HEAD_CACHE_POSITION_OFFSET) / 8
    this.tailIndex = this.tailOffset / 8
  }

  protected override claim(recordLength: number): number {
    const capacity = this.capacity
    const required = RecordDescriptor.alignedLength(recordLength)
    for (;;) {
      const tail = this.producerPosition
      if (required > capacity - (tail - this.headSeen)) {
        this.refreshHead()
        if (required > capacity - (tail - this.headSeen)) {
          return INSUFFICIENT_CAPACITY
        }
      }

      const tailOffset = this.recordOffsetOf(tail)
      const toEnd = capacity - tailOffset
      if (required <= toEnd) {
        if (this.compareAndSetTail(tail, tail + required)) {
          return tailOffset
        }
        continue
      }

      // The record does not fit before the end: pad the end, and claim at the front if there is room for it.
      if (required > this.recordOffsetOf(this.headSeen)) {
        this.refreshHead()
      }
      const fitsAtFront = required <= this.recordOffsetOf(this.headSeen)
      if (this.compareAndSetTail(tail, tail + toEnd + (fitsAtFront ? required : 0))) {
        this.storeLengthRelease(tailOffset, -toEnd)
        this.writePaddingRelease(tailOffset, toEnd)
        return fitsAtFront ? 0 : INSUFFICIENT_CAPACITY
      }
    }
  }

  protected override release(offset: number, length: number, head: number): void {
    this.buffer.bytes.fill(0, offset, offset + length)
    // Release: a producer that sees the new head relies on the bytes before it being zero.
    Int64.storeExclusiveRelease(this.buffer, this.headOffset, head)
  }

  /**
   * Turns a claim that its producer left unfinished at the head into padding. The caller has made sure, by a timeout,
   * that the producer is gone: the consumer position has not moved while messages were pending. Returns whether
   * something was unblocked.
   */
  override unblock(): boolean {
    const buffer = this.buffer
    assertOpen(buffer.state)
    const head = Int64.loadMonotonic(buffer, this.headOffset)
    const tail = Int64.loadMonotonic(buffer, this.tailOffset)
    if (head === tail) {
      return false
    }

    const consumerIndex = this.recordOffsetOf(head)
    const producerIndex = this.recordOffsetOf(tail)
    const length = Atomics.load(buffer.int32, RecordDescriptor.lengthIndex(consumerIndex))
    if (length < 0) {
      this.checkRecordLength(consumerIndex, -length, this.capacity - consumerIndex)
      this.writePaddingRelease(consumerIndex, -length)
      return true
    }
    if (length > 0) {
      return false
    }
    return this.unblockUnstarted(consumerIndex, producerIndex > consumerIndex ? producerIndex : this.capacity)
  }

  /**
   * The producer died between its claim and the negative length. The next record that was begun says where the claim
   * ends; everything up to it becomes padding, if it is all still untouched.
   */
  private unblockUnstarted(consumerIndex: number, limit: number): boolean {
    const int32 = this.buffer.int32
    let next = consumerIndex + RecordDescriptor.ALIGNMENT
    while (next < limit && Atomics.load(int32, RecordDescriptor.lengthIndex(next)) === 0) {
      next += RecordDescriptor.ALIGNMENT
    }
    if (next >= limit) {
      return false
    }
    for (let i = next - RecordDescriptor.ALIGNMENT; i >= consumerIndex; i -= RecordDescriptor.ALIGNMENT) {
      if (Atomics.load(int32, RecordDescriptor.lengthIndex(i)) !== 0) {
        return false
      }
    }
    this.writePaddingRelease(consumerIndex, next - consumerIndex)
    return true
  }

  private refreshHead(): void {
    this.headSeen = this.consumerPosition
    Atomics.store(this.buffer.int64, this.headCacheIndex, BigInt(this.headSeen))
  }

  private compareAndSetTail(tail: number, newTail: number): boolean {
    const expected = BigInt(tail)
    return Atomics.compareExchange(this.buffer.int64, this.tailIndex, expected, BigInt(newTail)) === expected
  }

  private writePaddingRelease(recordOffset: number, length: number): void {
    this.buffer.int32[RecordDescriptor.typeIndex(recordOffset)] = RecordDescriptor.PADDING_TYPE_ID
    this.storeLengthRelease(recordOffset, length)
  }
}
