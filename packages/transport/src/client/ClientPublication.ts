/**
 * A publication as its client writes to it: the log, the limit that the driver sets, and one appender. Whether it is
 * concurrent or exclusive is its appender's matter.
 *
 * Nothing here waits: each offer returns the new position, or one of `OfferResult`.
 */
import type { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import { BatchAppender, framedLength } from "@millrace/core/kernel/logbuffer/BatchAppender"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import type { BufferClaim } from "@millrace/core/kernel/logbuffer/BufferClaim"
import { ExclusiveTermAppender } from "@millrace/core/kernel/logbuffer/ExclusiveTermAppender"
import { HEADER_LENGTH } from "@millrace/core/kernel/logbuffer/FrameDescriptor"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import type { MessageAppender } from "@millrace/core/kernel/logbuffer/MessageAppender"
import { computeFramedLength, type ReservedValueSupplier } from "@millrace/core/kernel/logbuffer/MessageWriter"
import {
  ADMIN_ACTION,
  BACK_PRESSURED,
  CLOSED,
  MAX_POSITION_EXCEEDED,
  NOT_CONNECTED
} from "@millrace/core/kernel/logbuffer/OfferResult"
import { TermAppender } from "@millrace/core/kernel/logbuffer/TermAppender"
import { assert } from "@millrace/core/kernel/memory/Assert"
import type { SharedLog } from "./SharedLogs.ts"

/**
 * How often in a row ADMIN_ACTION is tried again at once. A rotation takes another writer a few stores; one that was
 * stopped in between is the driver's to unblock, and nobody spins until then.
 */
export const ROTATIONS_MAX = 8

/**
 * Writes message `index` to `bytes` from `offset` and returns its length. The bytes are the log itself: they are the
 * writer's during the call only.
 */
export type MessageEncoder = (bytes: Uint8Array<ArrayBufferLike>, offset: number, index: number) => number

export interface ClientPublicationFields {
  readonly registrationId: bigint
  /** Id of the publication in the driver, which several registrations may share. */
  readonly originalRegistrationId: bigint
  readonly channel: string
  readonly streamId: number
  readonly sessionId: number
  readonly isExclusive: boolean
  readonly channelStatusId: number
  readonly log: SharedLog
  readonly limit: AtomicCounter
}

export class ClientPublication {
  readonly registrationId: bigint
  readonly originalRegistrationId: bigint
  readonly channel: string
  readonly streamId: number
  readonly sessionId: number
  readonly isExclusive: boolean
  readonly channelStatusId: number
  readonly log: SharedLog
  readonly maxPayloadLength: number
  readonly maxMessageLength: number
  readonly positionMax: number
  readonly positionLimitId: number
  /** How many messages the last `offerMany` or `offerBatch` took. */
  acceptedCount = 0
  private readonly limit: AtomicCounter
  private readonly appender: MessageAppender
  private readonly exclusive: ExclusiveTermAppender | undefined
  private readonly batch: BatchAppender
  private isOpen = true
  private finalPosition = 0

  constructor(fields: ClientPublicationFields) {
    this.registrationId = fields.registrationId
    this.originalRegistrationId = fields.originalRegistrationId
    this.channel = fields.channel
    this.streamId = fields.streamId
    this.sessionId = fields.sessionId
    this.isExclusive = fields.isExclusive
    this.channelStatusId = fields.channelStatusId
    this.log = fields.log
    this.limit = fields.limit
    this.positionLimitId = fields.limit.id
    const { buffers } = fields.log
    this.exclusive = fields.isExclusive ? new ExclusiveTermAppender(buffers) : undefined
    this.appender = this.exclusive ?? new TermAppender(buffers)
    this.batch = new BatchAppender(this.appender)
    this.maxPayloadLength = this.appender.maxPayloadLength
    this.maxMessageLength = this.appender.maxMessageLength
    this.positionMax = this.appender.positionMax
  }

  get isClosed(): boolean {
    return !this.isOpen
  }

  get isConnected(): boolean {
    return this.isOpen && LogBufferMetadata.isConnected(this.log.buffers.metadata)
  }

  /** Behind everything that was claimed; CLOSED, or ADMIN_ACTION while another writer rotates the log. */
  position(): number {
    return this.isOpen ? this.appender.position() : CLOSED
  }

  /** Behind what was claimed when the publication was closed; 0 while it is open. */
  get closedPosition(): number {
    return this.finalPosition
  }

  /** Bytes between the position and the limit, CLOSED or ADMIN_ACTION. The last message may go beyond the limit. */
  availableWindow(): number {
    const position = this.position()
    return position < 0 ? position : Math.max(0, this.limit.getVolatile() - position)
  }

  /** How far the driver lets this publication go, or CLOSED. */
  positionLimit(): number {
    return this.isOpen ? this.limit.getVolatile() : CLOSED
  }

  /** A message of at most `maxMessageLength` bytes. */
  offer(
    source: Uint8Array<ArrayBufferLike>,
    offset: number,
    length: number,
    reservedValue?: ReservedValueSupplier
  ): number {
    const status = this.check(computeFramedLength(length, this.maxPayloadLength))
    return status < 0 ? status : this.appender.append(source, offset, length, reservedValue)
  }

  /** The concatenation of `sources` as one message of at most `maxMessageLength` bytes. */
  offerParts(sources: ReadonlyArray<Uint8Array<ArrayBufferLike>>, reservedValue?: ReservedValueSupplier): number {
    let length = 0
    for (const source of sources) {
      length += source.length
    }
    const status = this.check(computeFramedLength(length, this.maxPayloadLength))
    return status < 0 ? status : this.appender.appendVector(sources, reservedValue)
  }

  /**
   * Messages from index `begin` on, each of at most `maxMessageLength` bytes, as many as the limit and the term allow:
   * one claim and one release store for up to `maxMessageLength` bytes of them. `acceptedCount` says how many were
   * taken; the result is the position behind the last of them, or why none was.
   */
  offerMany(messages: ReadonlyArray<Uint8Array<ArrayBufferLike>>, begin: number): number {
    this.acceptedCount = 0
    let position = 0
    let index = begin
    let rotations = 0
    while (index < messages.length) {
      const length = computeFramedLength(messages[index]!.length, this.maxPayloadLength)
      const status = this.check(length)
      const result = status < 0 ? status : this.batch.appendAll(messages, index, messages.length)
      if (result < 0) {
        if (result === ADMIN_ACTION && ++rotations < ROTATIONS_MAX) {
          continue
        }
        return this.acceptedCount > 0 ? position : result
      }
      rotations = 0
      position = result
      this.acceptedCount += this.batch.appendedCount
      index += this.batch.appendedCount
    }
    return position
  }

  /**
   * As `offerMany`, for `count` messages of at most `lengthMax` bytes that `encode` writes in place. The room that
   * shorter messages leave becomes padding.
   */
  offerBatch(count: number, lengthMax: number, encode: MessageEncoder): number {
    const frameLengthMax = framedLength(lengthMax)
    const perBatch = Math.floor(this.maxMessageLength / frameLengthMax)
    assert(lengthMax >= 0 && lengthMax <= this.maxPayloadLength, "a message of a batch does not fit one frame")
    this.acceptedCount = 0
    let position = 0
    let rotations = 0
    while (this.acceptedCount < count) {
      const batchCount = Math.min(count - this.acceptedCount, perBatch)
      const batchLength = batchCount * frameLengthMax
      const status = this.check(batchLength)
      const result = status < 0 ? status : this.batch.begin(batchLength)
      if (result < 0) {
        if (result === ADMIN_ACTION && ++rotations < ROTATIONS_MAX) {
          continue
        }
        return this.acceptedCount > 0 ? position : result
      }
      rotations = 0
      this.encodeBatch(batchCount, lengthMax, encode)
      position = result
      this.acceptedCount += batchCount
    }
    return position
  }

  /** Claims `length` bytes of payload, at most `maxPayloadLength`, to be written through `claim`. */
  tryClaim(length: number, claim: BufferClaim): number {
    const status = this.check(framedLength(length))
    return status < 0 ? status : this.appender.claim(length, claim)
  }

  /**
   * Appends `length` bytes that nobody receives, at most `maxMessageLength`, and a header. For the only writer of an
   * exclusive publication.
   */
  appendPadding(length: number): number {
    const { exclusive } = this
    assert(exclusive !== undefined, "padding is appended to a publication that others write to")
    const status = this.check(framedLength(length))
    return status < 0 ? status : exclusive.appendPadding(length)
  }

  /**
   * Appends whole frames as they are, which must be those that come next in the stream of an exclusive publication. Throws
   * `InvalidBlock` when they are not.
   */
  offerBlock(source: FrameBuffer, offset: number, length: number): number {
    const { exclusive } = this
    assert(exclusive !== undefined, "a block is offered to a publication that others write to")
    const status = this.check(length)
    return status < 0 ? status : exclusive.appendBlock(source, offset, length)
  }

  /** Every later offer answers CLOSED. */
  close(): void {
    if (this.isOpen) {
      this.finalPosition = Math.max(0, this.appender.position())
      this.isOpen = false
    }
  }

  private encodeBatch(count: number, lengthMax: number, encode: MessageEncoder): void {
    const { batch } = this
    const { bytes } = batch.buffer
    const first = this.acceptedCount
    let offset = this.appender.termOffset + HEADER_LENGTH
    try {
      for (let index = 0; index < count; index++) {
        const length = encode(bytes, offset, first + index)
        assert(length >= 0 && length <= lengthMax, "an encoder wrote a message longer than it said")
        batch.next(length)
        offset += framedLength(length)
      }
    } catch (error) {
      batch.abort()
      throw error
    }
    batch.commit()
  }

  /** 0 when a message of `framedLength` bytes may be appended now, else why not. */
  private check(length: number): number {
    if (!this.isOpen) {
      return CLOSED
    }
    const position = this.appender.position()
    if (position < 0) {
      return position
    }
    if (position < this.limit.getVolatile()) {
      return 0
    }
    if (position + length > this.positionMax) {
      return MAX_POSITION_EXCEEDED
    }
    return LogBufferMetadata.isConnected(this.log.buffers.metadata) ? BACK_PRESSURED : NOT_CONNECTED
  }
}
