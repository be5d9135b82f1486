/**
 * What both ring buffers share: the record protocol, the trailer and the reading side. A ring carries messages from
 * its producers to one consumer through memory that several processes map; how a producer takes room for a record
 * (`claim`) and what the consumer leaves behind (`release`) is each ring's own.
 *
 * A record's life: its claim moves the tail; its length is stored negative; type and message are written; its length
 * is stored positive, which is what the consumer waits for. The consumer reads records in the order of their claims.
 *
 * Any number of threads may call the producer's functions of a many-to-one ring; `read` and `controlledRead` belong to
 * one consumer. Lengths found in memory are checked: `CorruptRecord` is thrown before anything outside is touched.
 */
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Bytes from "../memory/Bytes.ts"
import * as Int64 from "../memory/Int64.ts"
import { Int64Halves } from "../memory/Int64Halves.ts"
import { loadAcquire, storeRelease } from "../memory/Ordering.ts"
import { assertOpen } from "../memory/RegionState.ts"
import { Action, type ControlledMessageHandler } from "./ControlledMessageHandler.ts"
import { CorruptRecord } from "./CorruptRecord.ts"
import type { MessageHandler } from "./MessageHandler.ts"
import * as RecordDescriptor from "./RecordDescriptor.ts"
import * as RingBufferDescriptor from "./RingBufferDescriptor.ts"

/** A producer publishes the head it saw when that has gone on by a quarter of the capacity. */
const HEAD_PUBLISHED_SHIFT = 2

export abstract class RingBuffer {
  /** The whole memory of the ring, for messages that are written in place after `tryClaim`. */
  readonly buffer: AtomicBuffer
  /** Bytes of records, a power of two. */
  readonly capacity: number
  /** The longest message in bytes. */
  readonly maxMessageLength: number
  protected readonly tailOffset: number
  protected readonly headOffset: number
  /** The tail that `claim` works on. */
  protected readonly tail = new Int64Halves()
  /**
   * A head this producer saw, none at first. It is kept here and only published in the trailer's head cache: that field is written by
   * all producers and may go down, so it could not be read in two halves.
   */
  protected readonly headSeen = new Int64Halves()
  /** Low half of the head cache as this producer knows it. */
  private headPublishedLow: number
  private readonly headCacheOffset: number
  private readonly correlationIndex: number
  private readonly heartbeatIndex: number

  constructor(buffer: AtomicBuffer, capacityMin: number) {
    assertOpen(buffer.state)
    const capacity = RingBufferDescriptor.checkedCapacity(buffer.length, capacityMin)
    this.buffer = buffer
    this.capacity = capacity
    this.maxMessageLength = RingBufferDescriptor.maxMessageLength(capacity, capacityMin)
    this.tailOffset = capacity + RingBufferDescriptor.TAIL_POSITION_OFFSET
    this.headOffset = capacity + RingBufferDescriptor.HEAD_POSITION_OFFSET
    this.headCacheOffset = capacity + RingBufferDescriptor.HEAD_CACHE_POSITION_OFFSET
    this.headPublishedLow = buffer.int32[this.headCacheOffset >>> 2]!
    this.correlationIndex = (capacity + RingBufferDescriptor.CORRELATION_COUNTER_OFFSET) / 8
    this.heartbeatIndex = (capacity + RingBufferDescriptor.CONSUMER_HEARTBEAT_OFFSET) / 8
  }

  /** Takes room for a record; returns its offset, or INSUFFICIENT_CAPACITY. */
  protected abstract claim(recordLength: number): number

  /** Gives `length` consumed bytes at `offset` back to the producers and moves the head by them. */
  protected abstract release(offset: number, length: number): void

  /** Copies one message into the ring; false when there is no room now. */
  write(typeId: number, source: Uint8Array<ArrayBufferLike>, offset: number, length: number): boolean {
    assert(offset >= 0 && offset + length <= source.length, "message reaches outside its source")
    const messageOffset = this.tryClaim(typeId, length)
    if (messageOffset < 0) {
      return false
    }
    Bytes.copy(source, offset, this.buffer.bytes, messageOffset, length)
    this.storeLengthRelease(messageOffset - RecordDescriptor.HEADER_LENGTH, length + RecordDescriptor.HEADER_LENGTH)
    return true
  }

  /**
   * Takes room for a message of `length` bytes that the caller writes in place; returns the message's offset in
   * `buffer`, to be given to `commit` or `abort`, or INSUFFICIENT_CAPACITY.
   */
  tryClaim(typeId: number, length: number): number {
    assertOpen(this.buffer.state)
    RecordDescriptor.checkTypeId(typeId)
    assert(length >= 0, "message length is negative")
    assert(length <= this.maxMessageLength, "message is longer than the ring's maxMessageLength")

    const recordLength = length + RecordDescriptor.HEADER_LENGTH
    const recordOffset = this.claim(recordLength)
    if (recordOffset < 0) {
      return recordOffset
    }
    // Negative first: whoever unblocks the ring after this producer died learns from it how much was claimed.
    this.storeLengthRelease(recordOffset, -recordLength)
    this.buffer.int32[RecordDescriptor.typeIndex(recordOffset)] = typeId
    return RecordDescriptor.messageOffset(recordOffset)
  }

  /** Makes a claimed message visible to the consumer. */
  commit(messageOffset: number): void {
    const recordOffset = this.claimedRecordOffset(messageOffset)
    this.storeLengthRelease(recordOffset, -this.buffer.int32[RecordDescriptor.lengthIndex(recordOffset)]!)
  }

  /** Gives a claimed message up: the consumer skips it as padding. */
  abort(messageOffset: number): void {
    const recordOffset = this.claimedRecordOffset(messageOffset)
    const int32 = this.buffer.int32
    int32[RecordDescriptor.typeIndex(recordOffset)] = RecordDescriptor.PADDING_TYPE_ID
    this.storeLengthRelease(recordOffset, -int32[RecordDescriptor.lengthIndex(recordOffset)]!)
  }

  /** Hands at most `limit` messages to `handler`; returns how many. A read ends at the end of the buffer at latest. */
  read(handler: MessageHandler, limit: number = Infinity): number {
    return this.consume(handler, limit, false)
  }

  /** As `read`, but the handler's action decides after each message how the read goes on. */
  controlledRead(handler: ControlledMessageHandler, limit: number = Infinity): number {
    return this.consume(handler, limit, true)
  }

  /**
   * Turns a claim at the head that its producer left unfinished into padding, and returns whether there was one. Only
   * a ring of many producers can tell.
   */
  unblock(): boolean {
    assertOpen(this.buffer.state)
    return false
  }

  /** The next id of this ring, unique among all its producers. */
  nextCorrelationId(): bigint {
    assertOpen(this.buffer.state)
    return Atomics.add(this.buffer.int64, this.correlationIndex, 1n)
  }

  /** When the consumer was last alive, in epoch milliseconds; 0 before its first sign of life, -1 once it has ended. */
  get consumerHeartbeatMs(): number {
    assertOpen(this.buffer.state)
    return Number(Atomics.load(this.buffer.int64, this.heartbeatIndex))
  }

  set consumerHeartbeatMs(epochMs: number) {
    assertOpen(this.buffer.state)
    Atomics.store(this.buffer.int64, this.heartbeatIndex, BigInt(epochMs))
  }

  /** Bytes claimed since the ring was made, headers and padding included. */
  get producerPosition(): number {
    assertOpen(this.buffer.state)
    return Int64.loadMonotonic(this.buffer, this.tailOffset)
  }

  /** Bytes consumed since the ring was made. */
  get consumerPosition(): number {
    assertOpen(this.buffer.state)
    return Int64.loadMonotonic(this.buffer, this.headOffset)
  }

  /** Bytes claimed and not consumed yet, at some moment during the call. */
  get size(): number {
    let headBefore = this.consumerPosition
    for (;;) {
      const tail = this.producerPosition
      const headAfter = this.consumerPosition
      if (headAfter === headBefore) {
        return Math.min(Math.max(tail - headAfter, 0), this.capacity)
      }
      headBefore = headAfter
    }
  }

  /** Whether `required` bytes are free behind the tail. */
  protected hasRoom(required: number): boolean {
    const usedMax = this.capacity - required
    if (!this.tail.isFurtherThan(this.headSeen, usedMax)) {
      return true
    }
    this.refreshHead()
    return !this.tail.isFurtherThan(this.headSeen, usedMax)
  }

  /** Whether `required` bytes are free at the front of the buffer, when the tail is behind the head in it. */
  protected hasRoomAtFront(required: number): boolean {
    if (required > this.recordOffsetOf(this.headSeen.low)) {
      this.refreshHead()
    }
    return required <= this.recordOffsetOf(this.headSeen.low)
  }

  /** Release: the consumer that reads a positive length relies on the record's type and message being there. */
  protected storeLengthRelease(recordOffset: number, length: number): void {
    storeRelease(this.buffer.int32, RecordDescriptor.lengthIndex(recordOffset), length)
  }

  /**
   * Where a position of the trailer points to in the records. Its low half says so: the capacity divides 2^32, and both
   * count in two's complement.
   */
  protected recordOffsetOf(positionLow: number): number {
    const recordOffset = positionLow & (this.capacity - 1)
    if (recordOffset % RecordDescriptor.ALIGNMENT !== 0) {
      throw this.corrupt("position in the records", this.capacity, recordOffset, this.capacity)
    }
    return recordOffset
  }

  protected checkRecordLength(recordOffset: number, recordLength: number, limit: number): void {
    if (recordLength < RecordDescriptor.HEADER_LENGTH || recordLength > limit) {
      throw this.corrupt("record length", recordOffset, recordLength, limit)
    }
  }

  protected corrupt(field: string, offset: number, value: number, limit: number): CorruptRecord {
    return new CorruptRecord("ring buffer", this.buffer.state.name, field, offset, value, limit)
  }

  private consume(handler: MessageHandler | ControlledMessageHandler, limit: number, isControlled: boolean): number {
    const buffer = this.buffer
    assertOpen(buffer.state)
    const int32 = buffer.int32
    let recordOffset = this.recordOffsetOf(int32[this.headOffset >>> 2]!)
    let bytesRead = 0
    let messagesRead = 0

    try {
      while (recordOffset < this.capacity && messagesRead < limit && !buffer.state.isClosed) {
        const recordLength = loadAcquire(int32, RecordDescriptor.lengthIndex(recordOffset))
        if (recordLength <= 0) {
          break
        }
        this.checkRecordLength(recordOffset, recordLength, this.capacity - recordOffset)
        const alignedLength = RecordDescriptor.alignedLength(recordLength)
        const messageOffset = RecordDescriptor.messageOffset(recordOffset)
        const typeId = int32[RecordDescriptor.typeIndex(recordOffset)]!
        recordOffset += alignedLength
        bytesRead += alignedLength
        if (typeId === RecordDescriptor.PADDING_TYPE_ID) {
          continue
        }

        messagesRead++
        const result = handler(typeId, buffer, messageOffset, recordLength - RecordDescriptor.HEADER_LENGTH)
        const action = isControlled ? result : Action.CONTINUE
        if (action === Action.CONTINUE) {
          continue
        }
        if (action === Action.COMMIT) {
          this.release(recordOffset - bytesRead, bytesRead)
          bytesRead = 0
          continue
        }
        if (action === Action.ABORT) {
          recordOffset -= alignedLength
          bytesRead -= alignedLength
          messagesRead--
        }
        break
      }
    } finally {
      // A handler may close the region; then there is nothing left to give back.
      if (bytesRead > 0 && !buffer.state.isClosed) {
        this.release(recordOffset - bytesRead, bytesRead)
      }
    }
    return messagesRead
  }

  /**
   * Publishes now and then what it saw, and not each time, since that makes BigInts. Producers of Agrona and Aeron find a
   * better head for themselves; but they count the bytes in use in 32 bits, and would write over unread ones after a cached
   * head that was left 2 GiB behind.
   */
  private refreshHead(): void {
    this.headSeen.loadMonotonic(this.buffer, this.headOffset)
    if ((this.headSeen.low - this.headPublishedLow) >>> 0 >= this.capacity >>> HEAD_PUBLISHED_SHIFT) {
      this.headPublishedLow = this.headSeen.low
      this.headSeen.storeRelease(this.buffer, this.headCacheOffset)
    }
  }

  private claimedRecordOffset(messageOffset: number): number {
    assertOpen(this.buffer.state)
    const recordOffset = messageOffset - RecordDescriptor.HEADER_LENGTH
    assert(recordOffset >= 0 && recordOffset < this.capacity, "message offset is not one that tryClaim returned")
    assert(recordOffset % RecordDescriptor.ALIGNMENT === 0, "message offset is not one that tryClaim returned")
    assert(
      this.buffer.int32[RecordDescriptor.lengthIndex(recordOffset)]! < 0,
      "claim was committed or aborted before, or was unblocked"
    )
    return recordOffset
  }
}
