/**
 * One image as its subscription reads it: a place in the log, and the position counter that tells the driver what may
 * be cleaned. The counter moves when what was read is given back, so a batch borrowed from the log stays whole.
 */
import type { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import { BatchReader } from "@millrace/core/kernel/logbuffer/BatchReader"
import { CorruptFrame } from "@millrace/core/kernel/logbuffer/FrameDescriptor"
import type { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import * as TermBlockScanner from "@millrace/core/kernel/logbuffer/TermBlockScanner"
import { LogBlock, type BlockHandler } from "./LogBlock.ts"
import type { SharedLog } from "./SharedLogs.ts"

export interface ImageFields {
  readonly correlationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly subscriptionRegistrationId: bigint
  readonly sourceIdentity: string
  readonly subscriberPosition: AtomicCounter
  readonly log: SharedLog
}

/**
 * How an image ended: read to its end of stream; revoked by its publisher; lost, when it went away before its end was
 * read; closed by its own subscription; or corrupt, when its log holds what cannot be a frame.
 */
export type ImageEnd = "EndOfStream" | "Revoked" | "Lost" | "Closed" | "Corrupt"

export class ImageReader {
  readonly correlationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly subscriptionRegistrationId: bigint
  readonly sourceIdentity: string
  readonly joinPosition: number
  readonly log: SharedLog
  /** Undefined while the image can be read. */
  end: ImageEnd | undefined = undefined
  /** What is wrong with a corrupt image. */
  corruption: CorruptFrame | undefined = undefined
  private readonly subscriberPosition: AtomicCounter
  private readonly reader: BatchReader
  private readonly block: LogBlock
  private finalPosition = 0
  /** What the driver was told last: an idle look stores nothing. */
  private givenBack: number

  constructor(fields: ImageFields) {
    this.correlationId = fields.correlationId
    this.sessionId = fields.sessionId
    this.streamId = fields.streamId
    this.subscriptionRegistrationId = fields.subscriptionRegistrationId
    this.sourceIdentity = fields.sourceIdentity
    this.log = fields.log
    this.subscriberPosition = fields.subscriberPosition
    this.joinPosition = fields.subscriberPosition.getVolatile()
    this.givenBack = this.joinPosition
    this.reader = new BatchReader(fields.log.buffers, this.joinPosition)
    this.block = new LogBlock(fields.log.buffers)
  }

  get subscriberPositionId(): number {
    return this.subscriberPosition.id
  }

  get isClosed(): boolean {
    return this.end !== undefined
  }

  /** Behind everything read. What is read and not given back yet is behind it too. */
  get position(): number {
    return this.isClosed ? this.finalPosition : this.reader.position
  }

  /** Where the stream ends, Infinity while that is not known. */
  get endOfStreamPosition(): number {
    return this.isClosed ? this.finalPosition : LogBufferMetadata.endOfStreamPosition(this.log.buffers.metadata)
  }

  /** Whether everything there will ever be was read. */
  get isEndOfStream(): boolean {
    return this.isClosed ? this.end === "EndOfStream" : this.reader.position >= this.endOfStreamPosition
  }

  get isPublicationRevoked(): boolean {
    return this.isClosed ? this.end === "Revoked" : LogBufferMetadata.isPublicationRevoked(this.log.buffers.metadata)
  }

  /** How many transports the image comes by: 1 of a live one over UDP, 0 of a closed one. */
  get activeTransportCount(): number {
    return this.isClosed ? 0 : LogBufferMetadata.activeTransportCount(this.log.buffers.metadata)
  }

  /** Messages given up because fragments of them were missing. */
  get droppedCount(): number {
    return this.reader.droppedCount
  }

  /**
   * Fills `batch` with what follows, of frames that begin before `positionLimit`, and returns the count of messages. The
   * driver keeps the bytes until `release`. Throws `CorruptFrame` when one follows; what stands before it is read first.
   */
  read(batch: FragmentBatch, lengthLimit: number, countLimit?: number, positionLimit?: number): number {
    if (this.isClosed) {
      return 0
    }
    try {
      return this.reader.read(batch, lengthLimit, countLimit, positionLimit)
    } catch (error) {
      const wholeLength = error instanceof CorruptFrame ? this.lengthBefore(error) : 0
      if (wholeLength === 0) {
        throw error
      }
      return this.reader.read(batch, wholeLength, countLimit, positionLimit)
    }
  }

  /** Gives back everything that was read: the driver may clean it. */
  release(): void {
    this.releaseTo(this.reader.position)
  }

  /** Gives back what was read up to `position`, the end of a message of the last batch. */
  releaseTo(position: number): void {
    if (!this.isClosed && position !== this.givenBack) {
      this.givenBack = position
      this.subscriberPosition.setRelease(position)
    }
  }

  /** Message `index` of the last batch and those behind it are read again next time. */
  takeBack(batch: FragmentBatch, index: number): void {
    if (!this.isClosed && index < batch.count) {
      this.reader.takeBack(batch, index)
    }
  }

  /**
   * Hands over the whole frames that follow, headers and all, of one term and at most `lengthLimit` bytes, and gives them
   * back when the handler returns or throws. Throws `CorruptFrame` as `read` does. @returns how many bytes they were
   */
  pollBlock(handler: BlockHandler, lengthLimit: number): number {
    if (this.isClosed) {
      return 0
    }
    const { termLength, terms } = this.log.buffers
    const { position } = this.reader
    const partition = LogBufferDescriptor.indexByPosition(position, termLength)
    const termOffset = LogBufferDescriptor.computeTermOffset(position, termLength)
    const endOffset = TermBlockScanner.scan(terms[partition]!, termOffset, termOffset + lengthLimit)
    const length = endOffset - termOffset
    if (length > 0) {
      try {
        handler(this.block.wrap(partition, termOffset, length))
      } finally {
        // The handler may have closed the subscription, and with it the image.
        if (!this.isClosed) {
          this.reader.skip(length)
          this.release()
        }
      }
    }
    return length
  }

  /** The image is gone: says how it ended, by what its log tells. */
  close(reason: "Unavailable" | "Closed"): void {
    if (this.isClosed) {
      return
    }
    const end = reason === "Closed" ? "Closed" : this.isPublicationRevoked ? "Revoked" : this.unavailableEnd()
    this.finalPosition = this.reader.position
    this.end = end
  }

  /** The image cannot be read on: what follows is no frame. */
  closeCorrupt(error: CorruptFrame): void {
    this.finalPosition = this.reader.position
    this.end = "Corrupt"
    this.corruption = error
  }

  /** How much of the term follows before a frame in it. */
  private lengthBefore({ termOffset }: CorruptFrame): number {
    return termOffset - LogBufferDescriptor.computeTermOffset(this.reader.position, this.log.buffers.termLength)
  }

  private unavailableEnd(): ImageEnd {
    return this.isEndOfStream ? "EndOfStream" : "Lost"
  }
}
