/**
 * Publishes to a log that is shared without a driver: what a publication does before and around its appender. One
 * belongs to one thread.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Int64 from "../memory/Int64.ts"
import { loadAcquire } from "../memory/Ordering.ts"
import { BatchAppender } from "./BatchAppender.ts"
import { ExclusiveTermAppender } from "./ExclusiveTermAppender.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"
import * as LogBufferMetadata from "./LogBufferMetadata.ts"
import type { LogBuffers } from "./LogBuffers.ts"
import type { MessageAppender } from "./MessageAppender.ts"
import { ADMIN_ACTION, BACK_PRESSURED, CLOSED, MAX_POSITION_EXCEEDED, NOT_CONNECTED } from "./OfferResult.ts"
import { LIMIT_OFFSET } from "./SharingDescriptor.ts"
import { TermAppender } from "./TermAppender.ts"

const END_OF_STREAM_HIGH_WORD = (LogBufferDescriptor.END_OF_STREAM_POSITION_OFFSET >>> 2) + 1
const UNKNOWN_HIGH_WORD = Number(LogBufferDescriptor.END_OF_STREAM_UNKNOWN >> 32n)

// A rotation takes another writer a few stores. One that was stopped in between is not waited for.
const ATTEMPTS_MAX = 8

export class LogPublisher {
  /** How many messages the last `offerMany` took. */
  acceptedCount = 0
  readonly appender: MessageAppender
  private readonly metadata: AtomicBuffer
  private readonly batch: BatchAppender

  constructor(log: LogBuffers) {
    this.metadata = log.metadata
    this.appender =
      log.type === LogBufferDescriptor.LogType.ExclusivePublication
        ? new ExclusiveTermAppender(log)
        : new TermAppender(log)
    this.batch = new BatchAppender(this.appender)
  }

  /** Offers one message of at most `maxMessageLength`. @returns the position behind it, or an `OfferResult` */
  offer(source: Uint8Array<ArrayBufferLike>, offset: number, length: number): number {
    let result = ADMIN_ACTION
    for (let attempt = 0; result === ADMIN_ACTION && attempt < ATTEMPTS_MAX; attempt++) {
      const refusal = this.refusal()
      result = refusal < 0 ? refusal : this.appender.append(source, offset, length)
    }
    return result === ADMIN_ACTION ? BACK_PRESSURED : result
  }

  /**
   * Offers messages from index `begin` on, in batches, until all are taken or one is refused: `acceptedCount` says how
   * many were taken.
   *
   * @returns the position behind the last one taken, or the `OfferResult` that stopped it
   */
  offerMany(messages: ReadonlyArray<Uint8Array<ArrayBufferLike>>, begin: number): number {
    this.acceptedCount = 0
    let result = 0
    let attempt = 0
    let index = begin
    while (index < messages.length && attempt < ATTEMPTS_MAX) {
      const refusal = this.refusal()
      result = refusal < 0 ? refusal : this.batch.appendAll(messages, index, messages.length)
      if (result >= 0) {
        index += this.batch.appendedCount
        attempt = 0
      } else if (result === ADMIN_ACTION) {
        attempt += 1
      } else {
        break
      }
    }
    this.acceptedCount = index - begin
    return result === ADMIN_ACTION ? BACK_PRESSURED : result
  }

  /** 0 when a message may be appended now. */
  private refusal(): number {
    const position = this.appender.position()
    if (position < 0) {
      return position
    }
    // A stream without an end has the largest int64 as its end; no position has its high word.
    if (loadAcquire(this.metadata.int32, END_OF_STREAM_HIGH_WORD) !== UNKNOWN_HIGH_WORD) {
      return CLOSED
    }
    if (!LogBufferMetadata.isConnected(this.metadata)) {
      return NOT_CONNECTED
    }
    if (position >= this.appender.positionMax) {
      return MAX_POSITION_EXCEEDED
    }
    return position < Int64.loadMonotonic(this.metadata, LIMIT_OFFSET) ? 0 : BACK_PRESSURED
  }
}
