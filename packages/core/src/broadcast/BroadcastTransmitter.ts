/**
 * Writes messages for any number of receivers and never waits for them: a receiver that falls behind by the buffer's
 * capacity is lapped and has to find that out by itself. One transmitter a buffer.
 */
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Bytes from "../memory/Bytes.ts"
import * as Fence from "../memory/Fence.ts"
import * as Int64 from "../memory/Int64.ts"
import { assertOpen } from "../memory/RegionState.ts"
import { CorruptRecord } from "../ringbuffer/CorruptRecord.ts"
import * as RecordDescriptor from "../ringbuffer/RecordDescriptor.ts"
import * as BroadcastDescriptor from "./BroadcastDescriptor.ts"

export class BroadcastTransmitter {
  readonly buffer: AtomicBuffer
  /** Bytes of records, a power of two. */
  readonly capacity: number
  /** The longest message in bytes. */
  readonly maxMessageLength: number
  private readonly tailIntentOffset: number
  private readonly tailOffset: number
  private readonly latestOffset: number

  constructor(buffer: AtomicBuffer) {
    assertOpen(buffer.state)
    const capacity = BroadcastDescriptor.checkedCapacity(buffer.length)
    this.buffer = buffer
    this.capacity = capacity
    this.maxMessageLength = BroadcastDescriptor.maxMessageLength(capacity)
    this.tailIntentOffset = capacity + BroadcastDescriptor.TAIL_INTENT_OFFSET
    this.tailOffset = capacity + BroadcastDescriptor.TAIL_OFFSET
    this.latestOffset = capacity + BroadcastDescriptor.LATEST_OFFSET
  }

  transmit(typeId: number, source: Uint8Array<ArrayBufferLike>, offset: number, length: number): void {
    const buffer = this.buffer
    assertOpen(buffer.state)
    RecordDescriptor.checkTypeId(typeId)
    assert(length >= 0 && length <= this.maxMessageLength, "message is longer than the buffer's maxMessageLength")
    assert(offset >= 0 && offset + length <= source.length, "message reaches outside its source")

    const recordLength = length + RecordDescriptor.HEADER_LENGTH
    const alignedLength = RecordDescriptor.alignedLength(recordLength)
    const tailIndex = this.recordOffsetOfTail()
    const toEnd = this.capacity - tailIndex
    const padding = toEnd < alignedLength ? toEnd : 0
    this.signalIntent(padding + alignedLength)
    if (padding > 0) {
      this.putHeader(tailIndex, padding, RecordDescriptor.PADDING_TYPE_ID)
    }

    const recordOffset = padding > 0 ? 0 : tailIndex
    this.putHeader(recordOffset, recordLength, typeId)
    Bytes.copy(source, offset, buffer.bytes, RecordDescriptor.messageOffset(recordOffset), length)
    Int64.storeSumExclusiveRelease(buffer, this.latestOffset, this.tailOffset, padding)
    // Release: a receiver that sees the new tail relies on the record being there.
    Int64.storeSumExclusiveRelease(buffer, this.tailOffset, this.tailOffset, padding + alignedLength)
  }

  /** The intent is visible before the first byte is overwritten, so a receiver that copied such bytes can tell. */
  private signalIntent(length: number): void {
    Int64.storeSumExclusiveRelease(this.buffer, this.tailIntentOffset, this.tailOffset, length)
    Fence.stores()
  }

  private putHeader(recordOffset: number, recordLength: number, typeId: number): void {
    const int32 = this.buffer.int32
    int32[RecordDescriptor.lengthIndex(recordOffset)] = recordLength
    int32[RecordDescriptor.typeIndex(recordOffset)] = typeId
  }

  /** The tail's low half says where it points to: the capacity divides 2^32. */
  private recordOffsetOfTail(): number {
    const recordOffset = this.buffer.int32[this.tailOffset >>> 2]! & (this.capacity - 1)
    if (recordOffset % RecordDescriptor.ALIGNMENT !== 0) {
      throw new CorruptRecord(
        "broadcast buffer",
        this.buffer.state.name,
        "tail in the records",
        this.tailOffset,
        recordOffset,
        this.capacity
      )
    }
    return recordOffset
  }
}
