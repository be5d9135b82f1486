/**
 * What a conductor does with the log of any publication, whoever carries what is in it: it sees how far the publisher
 * has come, tells it whether somebody listens and where the stream ends, and frees those behind one that died.
 */
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { LogBufferUnblocker } from "@millrace/core/kernel/logbuffer/LogBufferUnblocker"
import { TermTail } from "@millrace/core/kernel/logbuffer/TermTail"
import type { PositionCounter } from "./PositionCounter.ts"

export class PublisherLog {
  private readonly log: LogBuffers
  private readonly limit: PositionCounter
  private readonly tail: TermTail
  private readonly unblocker: LogBufferUnblocker

  /** `limit` is how far the publisher may go. */
  constructor(log: LogBuffers, limit: PositionCounter) {
    this.log = log
    this.limit = limit
    this.tail = new TermTail(log.metadata)
    this.unblocker = new LogBufferUnblocker(log)
  }

  /** Behind everything that was claimed. */
  producerPosition(): number {
    const { initialTermId, metadata, termLength } = this.log
    const termCount = LogBufferMetadata.activeTermCountAcquire(metadata)
    this.tail.load(LogBufferDescriptor.indexByTermCount(termCount))
    // A claim that overshot the end leaves a tail beyond it: the stream goes no further than its term.
    const termOffset = Math.min(this.tail.termOffset, termLength)
    return LogBufferDescriptor.computePosition(this.tail.termId, termOffset, termLength, initialTermId)
  }

  setConnected(isConnected: boolean): void {
    if (LogBufferMetadata.isConnected(this.log.metadata) !== isConnected) {
      LogBufferMetadata.setIsConnected(this.log.metadata, isConnected)
    }
  }

  get isRevoked(): boolean {
    return LogBufferMetadata.isPublicationRevoked(this.log.metadata)
  }

  revoke(): void {
    LogBufferMetadata.setIsPublicationRevoked(this.log.metadata, true)
  }

  /** The stream ends where the publisher is. */
  end(): void {
    const position = this.producerPosition()
    this.limit.setRelease(position)
    LogBufferMetadata.setEndOfStreamPosition(this.log.metadata, position)
  }

  /** Whether a publisher may hold up the one who is at `position`: it was claimed further, or the next term has begun. */
  mayBlock(position: number, producerPosition: number): boolean {
    const termCount = LogBufferMetadata.activeTermCountAcquire(this.log.metadata)
    return termCount !== Math.floor(position / this.log.termLength) || producerPosition > position
  }

  /** What a publisher has claimed at `position` and left becomes padding; false when there was nothing. Throws for a log that was overwritten. */
  unblock(position: number, hasPublishers: boolean): boolean {
    return this.unblocker.unblock(position, hasPublishers)
  }
}
