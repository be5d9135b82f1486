/**
 * The driver's side of a received stream: a log that is rebuilt from datagrams, the positions of its subscribers, and
 * what its source is told.
 *
 *     Init ──► Active ──► Draining ──► Linger ──► Done
 *
 * Draining begins at the end of the stream, or when the source is silent or unwanted, and lasts until subscribers have
 * read what is whole; Linger keeps the log until no subscriber holds it any more.
 */
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
import type { RawLog } from "./LogFactory.ts"
import type { ManagedResource } from "./ManagedResource.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import type { Subscribable } from "./Subscribable.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"
import {
  FLOW_CONTROL_OVER_RUNS,
  FLOW_CONTROL_UNDER_RUNS,
  HEARTBEATS_RECEIVED,
  INVALID_PACKETS,
  LOSS_GAP_FILLS,
  PUBLICATION_IMAGES_REVOKED,
  type SystemCounters
} from "./SystemCounters.ts"
import { UntetheredSubscriptions, type UntetheredTimeouts } from "./UntetheredSubscriptions.ts"

export type ImageState = "Init" | "Active" | "Draining" | "Linger" | "Done"

/** What the conductor does for an image. */
export interface PublicationImageListener {
  /** Its subscribers lose it; the receiver lets go of it. */
  onLinger(image: PublicationImage): void
  onDone(image: PublicationImage): void
  onLeftBehind(image: PublicationImage, link: SubscriptionLink): void
  onRejoin(image: PublicationImage, link: SubscriptionLink, position: PositionCounter): void
  /** Lost data was missed; counted once each byte. */
  onLoss(image: PublicationImage, bytesLost: number): void
}

export interface PublicationImageFields {
  readonly correlationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly log: LogBuffers
  readonly rawLog: RawLog
  readonly endpoint: ReceiveEndpoint
  /** Where the data comes from, and where status messages go. */
  readonly source: SocketAddress
  readonly joinPosition: number
  readonly isReliable: boolean
  readonly congestionControl: CongestionControl
  readonly feedbackDelay: FeedbackDelay
  readonly hwmPosition: PositionCounter
  readonly rebuildPosition: PositionCounter
  readonly naksSent: PositionCounter
  readonly systemCounters: SystemCounters
  readonly livenessTimeoutNs: number
  readonly statusMessageTimeoutNs: number
  readonly untethered: UntetheredTimeouts
}

/** Status messages with the end-of-stream flag that a drained image sends before it lingers. */
const END_OF_STREAM_STATUS_MESSAGES = 5

export class PublicationImage implements ManagedResource, Subscribable {
  readonly fields: PublicationImageFields
  /** The correlation id, by which clients know the image. */
  readonly registrationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly endpoint: ReceiveEndpoint
  readonly log: LogBuffers
  readonly rawLog: RawLog
  readonly feedback: ImageFeedback
  readonly sourceIdentity: string
  state: ImageState = "Init"
  isEndOfStream = false

  private readonly listener: PublicationImageListener
  private readonly lossDetector: LossDetector
  private readonly header: HeaderWriter
  private readonly untethered: UntetheredSubscriptions
  private subscriberPositions: Array<PositionCounter> = []
  private isRebuilding = true
  private hasFailed = false
  private isReceiverReleaseTriggered = false
  private hasReceiverReleased = false
  private cleanPosition: number
  private reportedLossPosition = 0
  private timeOfLastPacketNs: number
  private timeOfLastStateChangeNs: number
  private nowNs: number

  constructor(fields: PublicationImageFields, listener: PublicationImageListener, nowNs: number) {
    this.fields = fields
    this.registrationId = fields.correlationId
    this.sessionId = fields.sessionId
    this.streamId = fields.streamId
    this.endpoint = fields.endpoint
    this.log = fields.log
    this.rawLog = fields.rawLog
    this.sourceIdentity = fields.source.text
    this.listener = listener
    this.header = new HeaderWriter(fields.log.metadata)
    this.feedback = new ImageFeedback(fields)
    this.lossDetector = new LossDetector(fields.log, fields.feedbackDelay, (termId, termOffset, length) =>
      this.onGap(termId, termOffset, length)
    )
    this.untethered = new UntetheredSubscriptions(fields.untethered, {
      onLeftBehind: (link) => listener.onLeftBehind(this, link),
      onDetach: (_link, position) => this.removePosition(position),
      onRejoin: (link, position) => {
        position.setRelease(this.joinPosition())
        this.subscriberPositions.push(position)
        listener.onRejoin(this, link, position)
      }
    })
    this.cleanPosition = fields.joinPosition
    this.timeOfLastPacketNs = nowNs
    this.timeOfLastStateChangeNs = nowNs
    this.nowNs = nowNs
    fields.hwmPosition.setRelease(fields.joinPosition)
    fields.rebuildPosition.setRelease(fields.joinPosition)
  }

  get hasReachedEndOfLife(): boolean {
    return this.hasReceiverReleased && this.state === "Done"
  }

  /** The dispatcher has it: data comes in. */
  activate(): void {
    this.become("Active")
  }

  /** Its log is not what a source may send: its source is told so, nothing more is taken from it, and it ends. */
  fail(reason: string): void {
    this.hasFailed = true
    this.isRebuilding = false
    this.feedback.reject(reason)
  }

  /** No data comes in any more: the source is silent, or nobody wants the stream. */
  deactivate(): void {
    if (this.state === "Active") {
      this.isRebuilding = false
      const isWhole = this.fields.rebuildPosition.getVolatile() === this.fields.hwmPosition.getVolatile()
      if (!this.isEndOfStream || isWhole) {
        this.feedback.sendEndOfStream()
      }
      this.become("Draining")
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

  /** The conductor's duty of each tick: how far the log is whole, and what the source should know of it. */
  trackRebuild(nowNs: number): number {
    // While the only subscribers rest there is none that could be told, or that sets the pace.
    if (!this.isRebuilding || this.subscriberPositions.length === 0) {
      return 0
    }
    this.nowNs = nowNs
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
    const rebuildEnd = this.lossDetector.scan(Math.max(rebuilt, fastest), hwm, nowNs)
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

  /** Whether the receiver should go on with it. */
  isConnected(nowNs: number): boolean {
    return !this.isReceiverReleaseTriggered && nowNs - this.timeOfLastPacketNs <= this.fields.livenessTimeoutNs
  }

  /** The receiver's duty of each tick. */
  sendFeedback(nowNs: number): number {
    const isWhole = this.fields.rebuildPosition.getVolatile() === this.fields.hwmPosition.getVolatile()
    if (this.isEndOfStream && isWhole && this.state === "Active") {
      this.isRebuilding = false
      this.feedback.sendEndOfStream()
      this.timeOfLastStateChangeNs = nowNs
      this.become("Draining")
    }
    return this.feedback.doWork(nowNs)
  }

  /** The receiver does not touch it any more. */
  onReceiverReleased(): void {
    this.hasReceiverReleased = true
  }

  get isAcceptingSubscriptions(): boolean {
    if (this.subscriberPositions.length === 0 || this.hasFailed) {
      return false
    }
    return this.state === "Init" || this.state === "Active" || (this.state === "Draining" && !this.isDrained())
  }

  joinPosition(): number {
    let position = this.fields.rebuildPosition.getVolatile()
    for (const subscriberPosition of this.subscriberPositions) {
      position = Math.min(position, subscriberPosition.getVolatile())
    }
    return position
  }

  addSubscriber(link: SubscriptionLink, position: PositionCounter, nowNs: number): void {
    this.subscriberPositions.push(position)
    this.untethered.add(link, position, nowNs)
  }

  removeSubscriber(link: SubscriptionLink, position: PositionCounter): void {
    this.removePosition(position)
    this.untethered.remove(link)
    position.close()
  }

  onTimeEvent(nowNs: number): void {
    this.nowNs = nowNs
    const isRevoked = LogBufferMetadata.isPublicationRevoked(this.log.metadata)
    switch (this.state) {
      case "Active":
        if (isRevoked) {
          // Told at once: when it lingers the receiver has let go of it, and nothing is sent any more.
          this.isRebuilding = false
          this.feedback.sendEndOfStream()
          this.become("Draining")
        } else {
          this.checkUntethered(nowNs)
        }
        break
      case "Draining":
        // Behind the place where the log is broken nobody reads on, so there is nothing to wait for.
        if (isRevoked || this.hasFailed || (this.isDrained() && this.hasSaidEndOfStream(nowNs))) {
          this.linger()
        }
        break
      case "Linger":
        if (
          this.subscriberPositions.length === 0 ||
          nowNs - this.timeOfLastStateChangeNs > this.fields.livenessTimeoutNs
        ) {
          this.become("Done")
          this.listener.onDone(this)
        }
        break
      case "Init":
      case "Done":
        break
    }
  }

  close(): void {
    this.fields.hwmPosition.close()
    this.fields.rebuildPosition.close()
    this.fields.naksSent.close()
    for (const position of this.subscriberPositions) {
      position.close()
    }
    this.untethered.close()
    this.fields.congestionControl.close()
  }

  private linger(): void {
    this.isReceiverReleaseTriggered = true
    this.become("Linger")
    this.listener.onLinger(this)
  }

  private hasSaidEndOfStream(nowNs: number): boolean {
    const { statusMessageTimeoutNs } = this.fields
    return nowNs - this.timeOfLastStateChangeNs > END_OF_STREAM_STATUS_MESSAGES * statusMessageTimeoutNs
  }

  /** True when it says something new: that there is more, or no more. */
  private onHeartbeat(buffer: FrameBuffer, offset: number, position: number, nowNs: number): boolean {
    const { log, systemCounters } = this.fields
    if (position < this.feedback.lastStatusPosition - log.termLength || position < 0) {
      systemCounters.increment(FLOW_CONTROL_UNDER_RUNS)
      return false
    }
    const isNews = position > this.fields.hwmPosition.getVolatile() || DataFrame.isEndOfStream(buffer, offset)
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
    const { isReliable, log, naksSent, systemCounters } = this.fields
    this.reportLoss(termId, termOffset, length)
    if (isReliable) {
      if (!LogBufferMetadata.isPublicationRevoked(log.metadata)) {
        this.feedback.sendNak(termId, termOffset, length)
        naksSent.setRelease(naksSent.getVolatile() + 1)
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

  private checkUntethered(nowNs: number): void {
    const { windowLength } = this.feedback
    const fastest = this.subscriberPositions.reduce((max, position) => Math.max(max, position.getVolatile()), 0)
    this.untethered.check(fastest - windowLength + Math.floor(windowLength / 4), nowNs)
  }

  private isDrained(): boolean {
    const rebuilt = this.fields.rebuildPosition.getVolatile()
    return this.subscriberPositions.every(
      (position) => position.getVolatile() >= rebuilt || this.untethered.isLeftBehind(position)
    )
  }

  private raiseHwm(position: number): void {
    if (position > this.fields.hwmPosition.getVolatile()) {
      this.fields.hwmPosition.setRelease(position)
    }
  }

  private removePosition(position: PositionCounter): void {
    this.subscriberPositions = this.subscriberPositions.filter((other) => other !== position)
  }

  private become(state: ImageState): void {
    this.state = state
    this.timeOfLastStateChangeNs = this.nowNs
  }
}
