/**
 * The receiver's half of an image: a log that is rebuilt from datagrams, and what its source is told. The conductor's
 * half (`PublicationImage`) has the subscribers and the end; the two share the log and the counters.
 *
 * Everything that each datagram or each duty cycle needs is here, the search for gaps too, so that nothing of it has to
 * go from thread to thread. The subscribers' positions are counters, which any agent can read.
 */
import type { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import { HeaderWriter } from "@millrace/core/kernel/logbuffer/HeaderWriter"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as TermCleaner from "@millrace/core/kernel/logbuffer/TermCleaner"
import { tryFillGap } from "@millrace/core/kernel/logbuffer/TermGapFiller"
import * as TermRebuilder from "@millrace/core/kernel/logbuffer/TermRebuilder"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { CongestionControl } from "../congestion/CongestionControl.ts"
import { type FeedbackDelay, LossDetector } from "../loss/LossDetector.ts"
import type { ReceiveEndpoint } from "../media/ReceiveEndpoint.ts"
import { ImageFeedback } from "./ImageFeedback.ts"
import type { ReceivedImageDescription } from "./ReceiverCommands.ts"
import {
  FLOW_CONTROL_OVER_RUNS,
  FLOW_CONTROL_UNDER_RUNS,
  HEARTBEATS_RECEIVED,
  INVALID_PACKETS,
  LOSS_GAP_FILLS,
  PUBLICATION_IMAGES_REVOKED,
  type SystemCounters
} from "./SystemCounters.ts"

export interface ReceivedImageFields {
  readonly description: ReceivedImageDescription
  readonly log: LogBuffers
  readonly endpoint: ReceiveEndpoint
  /** Where the data comes from, and where status messages go. */
  readonly source: SocketAddress
  readonly congestionControl: CongestionControl
  readonly feedbackDelay: FeedbackDelay
  readonly hwmPosition: AtomicCounter
  readonly rebuildPosition: AtomicCounter
  readonly naksSent: AtomicCounter
  readonly systemCounters: SystemCounters
}

export interface ReceivedImageListener {
  /** No data comes in any more. */
  onDraining(image: ReceivedImage): void
  /** Lost data was missed; counted once each byte. */
  onLoss(image: ReceivedImage, bytesLost: number): void
}

export class ReceivedImage {
  readonly correlationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly fields: ReceivedImageFields
  readonly log: LogBuffers
  readonly endpoint: ReceiveEndpoint
  readonly feedback: ImageFeedback
  isEndOfStream = false
  private readonly listener: ReceivedImageListener
  private readonly lossDetector: LossDetector
  private readonly header: HeaderWriter
  private subscriberPositions: ReadonlyArray<AtomicCounter>
  private isRebuilding = true
  private isDraining = false
  private cleanPosition: number
  private reportedLossPosition = 0
  private timeOfLastPacketNs: number

  constructor(
    fields: ReceivedImageFields,
    subscriberPositions: ReadonlyArray<AtomicCounter>,
    listener: ReceivedImageListener,
    nowNs: number
  ) {
    const { description, log } = fields
    this.correlationId = description.correlationId
    this.sessionId = description.sessionId
    this.streamId = description.streamId
    this.fields = fields
    this.log = log
    this.endpoint = fields.endpoint
    this.listener = listener
    this.subscriberPositions = subscriberPositions
    this.header = new HeaderWriter(log.metadata)
    this.feedback = new ImageFeedback(fields)
    this.lossDetector = new LossDetector(log, fields.feedbackDelay, (termId, termOffset, length) =>
      this.onGap(termId, termOffset, length)
    )
    this.cleanPosition = description.joinPosition
    this.timeOfLastPacketNs = nowNs
  }

  onSubscribers(positions: ReadonlyArray<AtomicCounter>): void {
    this.subscriberPositions = positions
  }

  /** Its log is not what a source may send: its source is told so, nothing more is taken from it, and it ends. */
  fail(reason: string): void {
    this.isRebuilding = false
    this.feedback.reject(reason)
  }

  /** No data comes in any more: the source is silent, or nobody wants the stream. */
  deactivate(): void {
    if (!this.isDraining) {
      if (!this.isEndOfStream || this.isWhole()) {
        this.feedback.sendEndOfStream()
      }
      this.drain()
    }
  }

  /**
   * Puts a validated datagram where it belongs. `covered` is 0 for a heartbeat. True when it was more than a sign of
   * life.
   */
  insertPacket(buffer: FrameBuffer, offset: number, length: number, covered: number, nowNs: number): boolean {
    const { log, systemCounters } = this.fields
    const termOffset = DataFrame.termOffset(buffer, offset)
    if (this.feedback.isRejecting) {
      return false
    }
    if (termOffset < 0 || termOffset + covered > log.termLength || (covered > 0 && termOffset === log.termLength)) {
      systemCounters.increment(INVALID_PACKETS)
      return false
    }
    const termId = DataFrame.termId(buffer, offset)
    const position = LogBufferDescriptor.computePosition(termId, termOffset, log.termLength, log.initialTermId)
    const endPosition = position + covered
    if (endPosition > this.feedback.overrunPosition) {
      systemCounters.increment(FLOW_CONTROL_OVER_RUNS)
    } else if (covered === 0) {
      return this.onHeartbeat(buffer, offset, position, nowNs)
    } else if (position < this.feedback.lastStatusPosition) {
      systemCounters.increment(FLOW_CONTROL_UNDER_RUNS)
    } else {
      const term = log.terms[LogBufferDescriptor.indexByPosition(position, log.termLength)]!
      TermRebuilder.insert(term, termOffset, buffer, offset, length)
      this.timeOfLastPacketNs = nowNs
      this.raiseHwm(endPosition)
    }
    return true
  }

  /** How far the log is whole, and what the source should know of it. */
  trackRebuild(nowNs: number): number {
    // While the only subscribers rest there is none that could be told, or that sets the pace.
    if (!this.isRebuilding || this.subscriberPositions.length === 0) {
      return 0
    }
    const { congestionControl, hwmPosition, rebuildPosition } = this.fields
    const hwm = hwmPosition.getVolatile()
    let slowest = Infinity
    let fastest = 0
    for (const position of this.subscriberPositions) {
      const value = position.getVolatile()
      slowest = Math.min(slowest, value)
      fastest = Math.max(fastest, value)
    }
    const rebuilt = rebuildPosition.getVolatile()
    const rebuildEnd = this.lossDetector.scan(Math.max(rebuilt, fastest), hwm, this.timeOfLastPacketNs, nowNs)
    if (rebuildEnd > rebuilt) {
      rebuildPosition.setRelease(rebuildEnd)
    }
    congestionControl.onTrackRebuild(nowNs, slowest, this.feedback.nextStatusPosition, this.lossDetector.isLossFound)
    if (!this.feedback.shouldSchedule(slowest)) {
      return 0
    }
    this.cleanPosition = TermCleaner.clean(this.log, this.cleanPosition, slowest - this.log.termLength)
    this.feedback.schedule(slowest)
    return 1
  }

  /** Whether its source was heard of in time. */
  isConnected(nowNs: number): boolean {
    return nowNs - this.timeOfLastPacketNs <= this.fields.description.livenessTimeoutNs
  }

  sendFeedback(nowNs: number): number {
    if (!this.isDraining && this.isEndOfStream && (this.isRevoked() || this.isWhole())) {
      // Told at once: when it lingers the receiver has let go of it, and nothing is sent any more.
      this.feedback.sendEndOfStream()
      this.drain()
    }
    return this.feedback.doWork(nowNs)
  }

  private drain(): void {
    this.isRebuilding = false
    this.isDraining = true
    this.listener.onDraining(this)
  }

  private isWhole(): boolean {
    return this.fields.rebuildPosition.getVolatile() === this.fields.hwmPosition.getVolatile()
  }

  private isRevoked(): boolean {
    return LogBufferMetadata.isPublicationRevoked(this.log.metadata)
  }

  /** True when it says something new: that there is more, or no more. */
  private onHeartbeat(buffer: FrameBuffer, offset: number, position: number, nowNs: number): boolean {
    const { hwmPosition, log, systemCounters } = this.fields
    if (position < this.feedback.lastStatusPosition - log.termLength || position < 0) {
      systemCounters.increment(FLOW_CONTROL_UNDER_RUNS)
      return false
    }
    const isNews = position > hwmPosition.getVolatile() || DataFrame.isEndOfStream(buffer, offset)
    this.timeOfLastPacketNs = nowNs
    if (!this.isEndOfStream && DataFrame.isEndOfStream(buffer, offset)) {
      if (DataFrame.isRevoked(buffer, offset)) {
        LogBufferMetadata.setIsPublicationRevoked(log.metadata, true)
        systemCounters.increment(PUBLICATION_IMAGES_REVOKED)
      }
      LogBufferMetadata.setEndOfStreamPosition(log.metadata, position)
      this.isEndOfStream = true
    }
    this.raiseHwm(position)
    systemCounters.increment(HEARTBEATS_RECEIVED)
    return isNews
  }

  private onGap(termId: number, termOffset: number, length: number): void {
    const { description, log, naksSent, systemCounters } = this.fields
    this.reportLoss(termId, termOffset, length)
    if (description.isReliable) {
      if (!this.isRevoked()) {
        this.feedback.sendNak(termId, termOffset, length)
        naksSent.addRelease(1)
      }
      return
    }
    const termCount = LogBufferDescriptor.computeTermCount(termId, log.initialTermId)
    const term = log.terms[LogBufferDescriptor.indexByTermCount(termCount)]!
    if (tryFillGap(this.header, term, termId, termOffset, length)) {
      systemCounters.increment(LOSS_GAP_FILLS)
    }
  }

  /** A gap that is told again, or that grew, counts only for what is new in it. */
  private reportLoss(termId: number, termOffset: number, length: number): void {
    const { initialTermId, termLength } = this.log
    const begin = LogBufferDescriptor.computePosition(termId, termOffset, termLength, initialTermId)
    const end = begin + length
    if (end > this.reportedLossPosition) {
      this.listener.onLoss(this, end - Math.max(begin, this.reportedLossPosition))
      this.reportedLossPosition = end
    }
  }

  private raiseHwm(position: number): void {
    if (position > this.fields.hwmPosition.getVolatile()) {
      this.fields.hwmPosition.setRelease(position)
    }
  }
}
