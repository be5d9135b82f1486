/**
 * A ring of many producers and one consumer. A producer takes room by a compare-and-set of the 64-bit tail, as Java and
 * C producers on the same ring do.
 *
 * That makes 72 to 104 bytes of BigInts. Where a 32-bit compare-and-set is one step with the 64-bit ones of others, a
 * claim compares and sets the low half alone instead and takes no memory (see `moveTail`).
 *
 * Invariant: bytes outside records are zero. The consumer zeroes what it read before it moves the head, so the length of a
 * record that was claimed but not begun reads as 0.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Int64 from "../memory/Int64.ts"
import { halfWordAtomicsAreCoherent } from "../memory/Ordering.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as RecordDescriptor from "./RecordDescriptor.ts"
import { RingBuffer } from "./RingBuffer.ts"
import { INSUFFICIENT_CAPACITY } from "./RingBufferDescriptor.ts"

/** The least capacity: one header. Such a ring carries no message. */
export const CAPACITY_MIN = RecordDescriptor.HEADER_LENGTH

export class ManyToOneRingBuffer extends RingBuffer {
  constructor(buffer: AtomicBuffer) {
    super(buffer, CAPACITY_MIN)
  }

  protected override claim(recordLength: number): number {
    const buffer = this.buffer
    const tail = this.tail
    const required = RecordDescriptor.alignedLength(recordLength)
    for (;;) {
      tail.loadMonotonic(buffer, this.tailOffset)
      // A compare-and-set of a position that is not exact would never succeed.
      if (!tail.isExact) {
        throw this.corrupt("high half of the tail", this.tailOffset + 4, tail.high, 2 ** 21 - 1)
      }
      if (!this.hasRoom(required)) {
        return INSUFFICIENT_CAPACITY
      }

      const recordOffset = this.recordOffsetOf(tail.low)
      const toEnd = this.capacity - recordOffset
      if (required <= toEnd) {
        if (this.moveTail(required)) {
          return recordOffset
        }
        continue
      }

      // The record does not fit before the end: pad the end, and claim at the front if there is room for it.
      const fitsAtFront = this.hasRoomAtFront(required)
      if (tail.compareAndAdd(buffer, this.tailOffset, toEnd + (fitsAtFront ? required : 0))) {
        this.storeLengthRelease(recordOffset, -toEnd)
        this.writePaddingRelease(recordOffset, toEnd)
        return fitsAtFront ? 0 : INSUFFICIENT_CAPACITY
      }
    }
  }

  /**
   * Moves the tail by a claim that does not wrap, if it is still the tail that was looked at.
   *
   * The low half alone is fooled by a tail that went round 4 GiB while this thread was suspended, and the high half says so
   * afterwards. It would also have changed when others carried it on behind this claim; but the consumer stops at a record
   * until it is written, so no claim lies more than the capacity behind it, and in the last lap before a carry the whole
   * tail is compared. A change therefore means the former, and what was claimed may be bytes that are unread yet: nothing
   * is written there, the next round claims anew, and `unblock` turns the hole into padding, as a claim whose producer died.
   */
  private moveTail(length: number): boolean {
    const isBeforeCarry = (this.tail.low | (this.capacity - 1)) === -1
    return halfWordAtomicsAreCoherent && !isBeforeCarry
      ? this.tail.compareAndAddLow(this.buffer, this.tailOffset, length)
      : this.tail.compareAndAdd(this.buffer, this.tailOffset, length)
  }

  protected override release(offset: number, length: number): void {
    this.buffer.bytes.fill(0, offset, offset + length)
    // Release: a producer that sees the new head relies on the bytes before it being zero.
    Int64.storeSumExclusiveRelease(this.buffer, this.headOffset, this.headOffset, length)
  }

  /**
   * Turns a claim that its producer left unfinished at the head into padding. The caller has made sure, by a timeout,
   * that the producer is gone: the consumer position has not moved while messages were pending. Returns whether
   * something was unblocked.
   */
  override unblock(): boolean {
    const buffer = this.buffer
    assertOpen(buffer.state)
    if (this.size === 0) {
      return false
    }

    const consumerIndex = this.recordOffsetOf(Atomics.load(buffer.int32, this.headOffset >>> 2))
    const producerIndex = this.recordOffsetOf(Atomics.load(buffer.int32, this.tailOffset >>> 2))
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

  private writePaddingRelease(recordOffset: number, length: number): void {
    this.buffer.int32[RecordDescriptor.typeIndex(recordOffset)] = RecordDescriptor.PADDING_TYPE_ID
    this.storeLengthRelease(recordOffset, length)
  }
}
