/**
 * Follows a broadcast buffer in place. A message may be overwritten while it is looked at: whoever reads it copies
 * first and then asks `validate`, and throws the copy away when the answer is false. `CopyBroadcastReceiver` does so.
 *
 * A receiver starts with the latest message. One thread a receiver; any number of receivers a buffer.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Fence from "../memory/Fence.ts"
import * as Int64 from "../memory/Int64.ts"
import { assertOpen } from "../memory/RegionState.ts"
import { CorruptRecord } from "../ringbuffer/CorruptRecord.ts"
import * as RecordDescriptor from "../ringbuffer/RecordDescriptor.ts"
import * as BroadcastDescriptor from "./BroadcastDescriptor.ts"

export class BroadcastReceiver {
  readonly buffer: AtomicBuffer
  /** Bytes of records, a power of two. */
  readonly capacity: number
  private readonly maxRecordLength: number
  private readonly tailIntentOffset: number
  private readonly tailOffset: number
  private readonly latestOffset: number
  private cursor: number
  private nextRecord: number
  private currentTypeId = 0
  private currentOffset = 0
  private currentLength = 0
  private lapped = 0

  constructor(buffer: AtomicBuffer) {
    assertOpen(buffer.state)
    const capacity = BroadcastDescriptor.checkedCapacity(buffer.length)
    this.buffer = buffer
    this.capacity = capacity
    this.maxRecordLength = BroadcastDescriptor.maxMessageLength(capacity) + RecordDescriptor.HEADER_LENGTH
    this.tailIntentOffset = capacity + BroadcastDescriptor.TAIL_INTENT_OFFSET
    this.tailOffset = capacity + BroadcastDescriptor.TAIL_OFFSET
    this.latestOffset = capacity + BroadcastDescriptor.LATEST_OFFSET
    this.cursor = Int64.loadMonotonic(buffer, this.latestOffset)
    this.nextRecord = this.cursor
  }

  /** How often this receiver was overtaken. */
  get lappedCount(): number {
    return this.lapped
  }

  get typeId(): number {
    return this.currentTypeId
  }

  /** Offset of the message in `buffer`. */
  get offset(): number {
    return this.currentOffset
  }

  get length(): number {
    return this.currentLength
  }

  /**
   * Moves to the next message; false when there is none. False too when this receiver was overtaken: `lappedCount` has
   * grown then, and the next call goes on with the latest message.
   */
  receiveNext(): boolean {
    assertOpen(this.buffer.state)
    if (Int64.loadMonotonic(this.buffer, this.tailOffset) <= this.nextRecord) {
      return false
    }
    if (this.isIntact(this.nextRecord) && this.readRecord(this.nextRecord)) {
      return true
    }
    this.lapped++
    this.nextRecord = Int64.loadMonotonic(this.buffer, this.latestOffset)
    return false
  }

  /** Whether the current message was still intact when everything read from it so far was read. */
  validate(): boolean {
    assertOpen(this.buffer.state)
    return this.isIntact(this.cursor)
  }

  /** Reads the header at `cursor`, and the next one after padding; false when they were overwritten meanwhile. */
  private readRecord(cursor: number): boolean {
    const int32 = this.buffer.int32
    let recordOffset = this.recordOffsetOf(cursor)
    let recordLength = int32[RecordDescriptor.lengthIndex(recordOffset)]!
    let typeId = int32[RecordDescriptor.typeIndex(recordOffset)]!
    let messageCursor = cursor
    if (typeId === RecordDescriptor.PADDING_TYPE_ID) {
      // Padding reaches to the end of the buffer, and the transmitter never leaves it without a record at the front.
      messageCursor = cursor + this.capacity - recordOffset
      recordOffset = 0
      recordLength = int32[RecordDescriptor.lengthIndex(0)]!
      typeId = int32[RecordDescriptor.typeIndex(0)]!
    }
    if (!this.isIntact(cursor)) {
      return false
    }
    if (typeId === RecordDescriptor.PADDING_TYPE_ID) {
      throw this.corrupt("record type after padding", recordOffset, typeId, 0x7fffffff)
    }
    const limit = Math.min(this.maxRecordLength, this.capacity - recordOffset)
    if (recordLength < RecordDescriptor.HEADER_LENGTH || recordLength > limit) {
      throw this.corrupt("record length", recordOffset, recordLength, limit)
    }
    this.cursor = messageCursor
    this.nextRecord = messageCursor + RecordDescriptor.alignedLength(recordLength)
    this.currentTypeId = typeId
    this.currentOffset = RecordDescriptor.messageOffset(recordOffset)
    this.currentLength = recordLength - RecordDescriptor.HEADER_LENGTH
    return true
  }

  /** The fence keeps the reads of the message before the read of the intent that vouches for them. */
  private isIntact(cursor: number): boolean {
    Fence.loads()
    return cursor + this.capacity > Int64.loadMonotonic(this.buffer, this.tailIntentOffset)
  }

  private recordOffsetOf(position: number): number {
    const recordOffset = position % this.capacity
    if (position < 0 || position > Number.MAX_SAFE_INTEGER || recordOffset % RecordDescriptor.ALIGNMENT !== 0) {
      throw this.corrupt("position", this.latestOffset, position, Number.MAX_SAFE_INTEGER)
    }
    return recordOffset
  }

  private corrupt(field: string, offset: number, value: number, limit: number): CorruptRecord {
    return new CorruptRecord("broadcast buffer", this.buffer.state.name, field, offset, value, limit)
  }
}
