/**
 * What appending means whoever moves the tail: a message is framed, a range is reserved for it, and its frames are
 * written there. `TermAppender` and `ExclusiveTermAppender` say how a range is reserved.
 *
 * An appender knows neither position limits nor connections: its caller compares `position()` with the limit before
 * it appends, and may overshoot the limit by one message as in Aeron. One appender belongs to one thread.
 */
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import type { BufferClaim } from "./BufferClaim.ts"
import * as F from "./FrameDescriptor.ts"
import { HeaderWriter, UNFRAGMENTED } from "./HeaderWriter.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"
import type { LogBuffers } from "./LogBuffers.ts"
import * as MessageWriter from "./MessageWriter.ts"

export abstract class MessageAppender {
  readonly header: HeaderWriter
  /** The longest message that goes in one frame. */
  readonly maxPayloadLength: number
  readonly maxMessageLength: number
  readonly positionMax: number
  /** The last reservation: its term, its offset there, and the term's id. */
  term: AtomicBuffer
  termOffset = 0
  termId = 0
  /** The position behind the last reservation. */
  endPosition = 0
  protected readonly metadata: AtomicBuffer
  protected readonly terms: readonly [AtomicBuffer, AtomicBuffer, AtomicBuffer]
  protected readonly termLength: number

  constructor(log: LogBuffers) {
    this.header = new HeaderWriter(log.metadata)
    this.maxPayloadLength = LogBufferDescriptor.maxPayloadLength(log.mtuLength)
    this.maxMessageLength = LogBufferDescriptor.maxMessageLength(log.termLength)
    this.positionMax = LogBufferDescriptor.positionMax(log.termLength)
    this.metadata = log.metadata
    this.terms = log.terms
    this.term = log.terms[0]
    this.termLength = log.termLength
  }

  /** The position behind everything that is claimed. A concurrent appender may answer ADMIN_ACTION. */
  abstract position(): number

  /**
   * Moves the tail by `framedLength`, a multiple of 32, and leaves the range in `term`, `termOffset`, `termId` and
   * `endPosition`. Readers wait at the beginning of the range until its frames are published, so a caller that gets one
   * writes the whole of it, from its beginning.
   *
   * @returns 0, ADMIN_ACTION or MAX_POSITION_EXCEEDED
   */
  abstract reserve(framedLength: number): number

  /**
   * Appends one message of at most `maxMessageLength` bytes, in fragments when it is longer than `maxPayloadLength`.
   *
   * @returns the position behind it, ADMIN_ACTION or MAX_POSITION_EXCEEDED
   */
  append(
    source: Uint8Array<ArrayBufferLike>,
    offset: number,
    length: number,
    reservedValue?: MessageWriter.ReservedValueSupplier
  ): number {
    const refusal = this.tryAppend(source, offset, length, reservedValue)
    return refusal < 0 ? refusal : this.endPosition
  }

  /**
   * As `append`, without an allocation however far the stream has come: the position is left in `endPosition`. One
   * beyond 2^31 that a function returns is an object of 16 bytes, unless the engine inlines the call.
   *
   * @returns 0, ADMIN_ACTION or MAX_POSITION_EXCEEDED
   */
  tryAppend(
    source: Uint8Array<ArrayBufferLike>,
    offset: number,
    length: number,
    reservedValue?: MessageWriter.ReservedValueSupplier
  ): number {
    assert(offset >= 0 && length >= 0, "a message has a negative offset or length")
    assert(offset + length <= source.length, "a message reaches outside its source")
    assert(length <= this.maxMessageLength, "a message is longer than the maximum message length")
    const maxPayloadLength = this.maxPayloadLength
    const refusal = this.reserve(MessageWriter.computeFramedLength(length, maxPayloadLength))
    if (refusal < 0) {
      return refusal
    }
    const { header, term, termId, termOffset } = this
    if (length <= maxPayloadLength) {
      MessageWriter.writeUnfragmented(header, term, termOffset, termId, source, offset, length, reservedValue)
    } else {
      MessageWriter.writeFragmented(
        header,
        term,
        termOffset,
        termId,
        source,
        offset,
        length,
        maxPayloadLength,
        reservedValue
      )
    }
    return 0
  }

  /** Appends the concatenation of `sources` as one message. */
  appendVector(
    sources: ReadonlyArray<Uint8Array<ArrayBufferLike>>,
    reservedValue?: MessageWriter.ReservedValueSupplier
  ): number {
    const length = MessageWriter.vectorLength(sources)
    assert(length <= this.maxMessageLength, "a message is longer than the maximum message length")
    const maxPayloadLength = this.maxPayloadLength
    const refusal = this.reserve(MessageWriter.computeFramedLength(length, maxPayloadLength))
    if (refusal < 0) {
      return refusal
    }
    const { header, term, termId, termOffset } = this
    MessageWriter.writeVector(header, term, termOffset, termId, sources, length, maxPayloadLength, reservedValue)
    return this.endPosition
  }

  /** Claims a frame for `length` bytes of payload, at most `maxPayloadLength`, to be written through `claim`. */
  claim(length: number, claim: BufferClaim): number {
    assert(length >= 0 && length <= this.maxPayloadLength, "a claim is longer than the maximum payload length")
    assert(!claim.isOpen, "a claim was begun before the last one was committed or aborted")
    const frameLength = length + F.HEADER_LENGTH
    const refusal = this.reserve(F.alignFrame(frameLength))
    if (refusal < 0) {
      return refusal
    }
    this.header.claim(this.term, this.termOffset, frameLength, this.termId, UNFRAGMENTED)
    claim.wrap(this.term, this.termOffset, frameLength)
    return this.endPosition
  }
}
