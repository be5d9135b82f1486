/**
 * The driver's side of a network publication: what the conductor, the sender and the receivers of its stream do to it.
 *
 *     Active ──► Draining ──► Linger ──► Done
 *        └── revoked ──────────▲
 *
 * Draining lasts until everything is sent, or nobody listens any more; Linger keeps the log for retransmits until its
 * time is over or the one receiver said that it has everything.
 */
import * as ErrorFrame from "@millrace/core/kernel/frame/ErrorFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as NakFrame from "@millrace/core/kernel/frame/NakFrame"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { LogBufferUnblocker } from "@millrace/core/kernel/logbuffer/LogBufferUnblocker"
import * as TermCleaner from "@millrace/core/kernel/logbuffer/TermCleaner"
import { TermTail } from "@millrace/core/kernel/logbuffer/TermTail"
import type { PublicationParameters } from "../channel/PublicationParameters.ts"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { FlowControl, ReceiverStatus } from "../flow/FlowControl.ts"
import type { SendEndpoint, SendEndpointListener } from "../media/SendEndpoint.ts"
import type { RawLog } from "./LogFactory.ts"
import type { ManagedResource } from "./ManagedResource.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import type { LinkedPublication } from "./PublicationLink.ts"
import { PublicationSender } from "./PublicationSender.ts"
import { ReceiverLiveness } from "./ReceiverLiveness.ts"
import { STATUS_MESSAGES_REJECTED, type SystemCounters } from "./SystemCounters.ts"

export type NetworkPublicationState = "Active" | "Draining" | "Linger" | "Done"

/** What the conductor does for a publication. */
export interface NetworkPublicationListener {
  onDone(publication: NetworkPublication): void
  onRevoked(publication: NetworkPublication): void
  onUnblocked(publication: NetworkPublication): void
  /** Its log was overwritten: it ends as one that its publisher revokes. */
  onFailed(error: unknown): void
  onRejected(publication: NetworkPublication, buffer: FrameBuffer, offset: number, source: SocketAddress): void
}

export interface NetworkPublicationFields {
  readonly registrationId: bigint
  readonly channel: string
  readonly sessionId: number
  readonly streamId: number
  readonly isExclusive: boolean
  readonly parameters: PublicationParameters
  readonly log: LogBuffers
  readonly rawLog: RawLog
  readonly endpoint: SendEndpoint
  readonly flowControl: FlowControl
  readonly publisherPosition: PositionCounter
  readonly publisherLimit: PositionCounter
  readonly senderPosition: PositionCounter
  readonly senderLimit: PositionCounter
  readonly senderBackPressure: PositionCounter
  readonly senderNaksReceived: PositionCounter
  readonly systemCounters: SystemCounters
  readonly unblockTimeoutNs: number
  readonly connectionTimeoutNs: number
  readonly retransmitLingerNs: number
  readonly startTermId: number
  readonly startTermOffset: number
}

export class NetworkPublication implements ManagedResource, LinkedPublication, SendEndpointListener {
  readonly fields: NetworkPublicationFields
  readonly registrationId: bigint
  readonly channel: string
  readonly sessionId: number
  readonly streamId: number
  readonly termLength: number
  readonly isExclusive: boolean
  readonly parameters: PublicationParameters
  readonly log: LogBuffers
  readonly rawLog: RawLog
  readonly startTermId: number
  readonly startTermOffset: number
  readonly endpoint: SendEndpoint
  readonly publisherLimit: PositionCounter
  readonly sender: PublicationSender
  state: NetworkPublicationState = "Active"
  timeOfLastStatusNs: number

  private readonly listener: NetworkPublicationListener
  private readonly flowControl: FlowControl
  private readonly liveness = new ReceiverLiveness()
  private readonly tail: TermTail
  private readonly unblocker: LogBufferUnblocker
  private readonly windowLength: number
  private references = 0
  private hasReceivedEos = false
  private hasSenderReleased = false
  private cleanPosition: number
  private lastSenderPosition: number
  private timeOfLastActivityNs: number

  constructor(fields: NetworkPublicationFields, listener: NetworkPublicationListener, nowNs: number) {
    this.fields = fields
    this.registrationId = fields.registrationId
    this.channel = fields.channel
    this.sessionId = fields.sessionId
    this.streamId = fields.streamId
    this.termLength = fields.log.termLength
    this.isExclusive = fields.isExclusive
    this.parameters = fields.parameters
    this.log = fields.log
    this.rawLog = fields.rawLog
    this.startTermId = fields.startTermId
    this.startTermOffset = fields.startTermOffset
    this.endpoint = fields.endpoint
    this.publisherLimit = fields.publisherLimit
    this.flowControl = fields.flowControl
    this.listener = listener
    this.windowLength = fields.parameters.publicationWindowLength
    this.tail = new TermTail(fields.log.metadata)
    this.unblocker = new LogBufferUnblocker(fields.log)
    this.sender = new PublicationSender(fields, this.liveness, nowNs)
    const position = this.producerPosition()
    this.cleanPosition = position
    this.lastSenderPosition = position
    this.timeOfLastActivityNs = nowNs
    this.timeOfLastStatusNs = nowNs
  }

  get hasReachedEndOfLife(): boolean {
    return this.hasSenderReleased
  }

  producerPosition(): number {
    const { initialTermId, metadata, termLength } = this.log
    const termCount = LogBufferMetadata.activeTermCountAcquire(metadata)
    this.tail.load(LogBufferDescriptor.indexByTermCount(termCount))
    const termOffset = Math.min(this.tail.termOffset, termLength)
    return LogBufferDescriptor.computePosition(this.tail.termId, termOffset, termLength, initialTermId)
  }

  /** The sender's duty: data, set-ups, heartbeats, retransmits. Returns the bytes of data sent. */
  send(nowNs: number): number {
    const bytesSent = this.sender.send(nowNs)
    if (bytesSent === 0) {
      const { senderLimit } = this.fields
      senderLimit.setRelease(this.flowControl.onIdle(nowNs, senderLimit.getVolatile()))
      this.liveness.onIdle(nowNs, this.fields.connectionTimeoutNs)
    }
    return bytesSent
  }

  /** The conductor's duty of each tick. Returns 1 when there was something to move. */
  updatePublisherLimit(): number {
    if (this.state !== "Active") {
      return 0
    }
    const senderPosition = this.fields.senderPosition.getVolatile()
    this.fields.publisherPosition.setRelease(this.producerPosition())
    if (!this.isConnected) {
      return this.holdBack(senderPosition)
    }
    const limit = senderPosition + this.windowLength
    if (limit <= this.publisherLimit.getVolatile()) {
      return 0
    }
    // A term stays dirty behind the sender for retransmits; the limit must not reach into one that is not clean yet.
    this.cleanPosition = TermCleaner.clean(this.log, this.cleanPosition, senderPosition - this.termLength)
    const cleanTerm = Math.floor(this.cleanPosition / this.termLength)
    const termGap = Math.floor(limit / this.termLength) - cleanTerm
    if (termGap < 2 || (termGap === 2 && this.cleanPosition % this.termLength !== 0)) {
      this.publisherLimit.setRelease(limit)
    }
    return 1
  }

  onStatusMessage(buffer: FrameBuffer, offset: number, nowNs: number): boolean {
    const flags = HeaderDescriptor.flags(buffer, offset)
    const status = this.statusOf(buffer, offset, flags)
    if (FrameFlags.has(flags, FrameFlags.SM_SETUP)) {
      if (!this.sender.isEndOfStream) {
        this.timeOfLastStatusNs = nowNs
        this.flowControl.onTriggerSetup(status, nowNs)
        this.sender.elicitSetup()
      }
      return true
    }
    const { senderLimit, senderPosition } = this.fields
    if (Math.abs(status.position - senderPosition.getVolatile()) > this.termLength / 2) {
      this.fields.systemCounters.increment(STATUS_MESSAGES_REJECTED)
      return false
    }
    // Of the receiver that spoke last: an earlier one that left says nothing of one that came since.
    this.hasReceivedEos = status.isEndOfStream
    if (status.isEndOfStream) {
      this.liveness.onRemoteClose(status.receiverId)
      this.hasReceivedEos = true
    } else {
      this.liveness.onStatusMessage(status.receiverId, nowNs)
    }
    this.timeOfLastStatusNs = nowNs
    this.sender.onReceiver()
    const limit = senderLimit.getVolatile()
    const newLimit = this.flowControl.onStatusMessage(status, limit, nowNs)
    senderLimit.setRelease(newLimit)
    this.setConnected(this.isConnected)
    return newLimit !== limit
  }

  onNak(buffer: FrameBuffer, offset: number, nowNs: number): void {
    const { senderNaksReceived } = this.fields
    senderNaksReceived.setRelease(senderNaksReceived.getVolatile() + 1)
    const termOffset = NakFrame.termOffset(buffer, offset)
    const length = this.flowControl.maxRetransmissionLength(
      termOffset,
      NakFrame.length(buffer, offset),
      this.termLength
    )
    this.sender.retransmits.onNak(NakFrame.termId(buffer, offset), termOffset, length, nowNs)
  }

  /** A receiver refuses the stream; the publisher is told once, since the receiver repeats it. */
  onError(buffer: FrameBuffer, offset: number, source: SocketAddress): void {
    const receiverId = ErrorFrame.receiverId(buffer, offset)
    const groupTag = ErrorFrame.hasGroupTag(buffer, offset) ? ErrorFrame.groupTag(buffer, offset) : undefined
    this.flowControl.onError(receiverId, groupTag)
    if (this.liveness.onRemoteClose(receiverId)) {
      this.listener.onRejected(this, buffer, offset, source)
    }
  }

  onRttMeasurement(buffer: FrameBuffer, offset: number): void {
    if (FrameFlags.has(HeaderDescriptor.flags(buffer, offset), FrameFlags.RTTM_REPLY)) {
      this.sender.replyRtt(
        RttMeasurementFrame.echoTimestampNs(buffer, offset),
        RttMeasurementFrame.receiverId(buffer, offset)
      )
    }
  }

  onTimeEvent(nowNs: number): void {
    switch (this.state) {
      case "Active":
      case "Draining":
        if (LogBufferMetadata.isPublicationRevoked(this.log.metadata)) {
          this.onRevoked(nowNs)
        } else if (this.state === "Active") {
          this.onActive(nowNs)
        } else {
          this.onDraining(nowNs)
        }
        break
      case "Linger":
        if (
          this.references === 0 &&
          (this.hasReceivedEos || nowNs - this.timeOfLastActivityNs > this.parameters.lingerTimeoutNs)
        ) {
          this.state = "Done"
          this.endpoint.decreaseReferences()
          this.listener.onDone(this)
        }
        break
      case "Done":
        break
    }
  }

  increaseReferences(): void {
    this.references++
  }

  decreaseReferences(): void {
    if (--this.references === 0) {
      const position = this.producerPosition()
      this.publisherLimit.setRelease(position)
      LogBufferMetadata.setEndOfStreamPosition(this.log.metadata, position)
      if (!LogBufferMetadata.isPublicationRevoked(this.log.metadata)) {
        this.state = "Draining"
        if (this.fields.senderPosition.getVolatile() >= position) {
          this.sender.isEndOfStream = true
        }
      }
    }
  }

  revoke(): void {
    LogBufferMetadata.setIsPublicationRevoked(this.log.metadata, true)
  }

  /** Its log was overwritten, so it ends: its receivers are told as of one that its publisher revokes. */
  fail(error: unknown): void {
    this.sender.hasFailed = true
    this.revoke()
    this.listener.onFailed(error)
  }

  /** The sender does not touch it any more. */
  onSenderReleased(): void {
    this.hasSenderReleased = true
  }

  close(): void {
    const { publisherPosition, senderBackPressure, senderLimit, senderNaksReceived, senderPosition } = this.fields
    for (const counter of [
      publisherPosition,
      this.publisherLimit,
      senderPosition,
      senderLimit,
      senderBackPressure,
      senderNaksReceived
    ]) {
      counter.close()
    }
    this.flowControl.close()
  }

  private get isConnected(): boolean {
    return this.liveness.hasReceivers && this.flowControl.hasRequiredReceivers
  }

  private statusOf(buffer: FrameBuffer, offset: number, flags: number): ReceiverStatus {
    return {
      position: LogBufferDescriptor.computePosition(
        StatusMessageFrame.consumptionTermId(buffer, offset),
        StatusMessageFrame.consumptionTermOffset(buffer, offset),
        this.termLength,
        this.log.initialTermId
      ),
      windowLength: StatusMessageFrame.receiverWindow(buffer, offset),
      receiverId: StatusMessageFrame.receiverId(buffer, offset),
      groupTag: StatusMessageFrame.hasGroupTag(buffer, offset)
        ? StatusMessageFrame.groupTag(buffer, offset)
        : undefined,
      isEndOfStream: FrameFlags.has(flags, FrameFlags.SM_EOS)
    }
  }

  private holdBack(senderPosition: number): number {
    if (this.publisherLimit.getVolatile() <= senderPosition) {
      return 0
    }
    this.setConnected(false)
    this.publisherLimit.setRelease(senderPosition)
    this.cleanPosition = TermCleaner.clean(this.log, this.cleanPosition, senderPosition - this.termLength)
    return 1
  }

  private onRevoked(nowNs: number): void {
    const position = this.producerPosition()
    this.publisherLimit.setRelease(position)
    LogBufferMetadata.setEndOfStreamPosition(this.log.metadata, position)
    this.setConnected(false)
    this.sender.isEndOfStream = true
    this.state = "Linger"
    this.timeOfLastActivityNs = nowNs
    this.listener.onRevoked(this)
  }

  private onActive(nowNs: number): void {
    this.setConnected(this.isConnected)
    const position = this.producerPosition()
    this.fields.publisherPosition.setRelease(position)
    if (!this.isExclusive) {
      this.checkForBlockedPublisher(position, nowNs)
    }
  }

  private onDraining(nowNs: number): void {
    const position = this.producerPosition()
    this.fields.publisherPosition.setRelease(position)
    const senderPosition = this.fields.senderPosition.getVolatile()
    if (position > senderPosition) {
      if (this.unblock(senderPosition)) {
        return
      }
      if (this.liveness.hasReceivers) {
        return
      }
    } else {
      this.sender.isEndOfStream = true
    }
    this.timeOfLastActivityNs = nowNs
    this.state = "Linger"
  }

  private checkForBlockedPublisher(producerPosition: number, nowNs: number): void {
    const senderPosition = this.fields.senderPosition.getVolatile()
    const termCount = LogBufferMetadata.activeTermCountAcquire(this.log.metadata)
    const isPossiblyBlocked =
      termCount !== Math.floor(senderPosition / this.termLength) || producerPosition > senderPosition
    if (senderPosition !== this.lastSenderPosition || !isPossiblyBlocked) {
      this.timeOfLastActivityNs = nowNs
      this.lastSenderPosition = senderPosition
    } else if (nowNs - this.timeOfLastActivityNs > this.fields.unblockTimeoutNs) {
      this.unblock(senderPosition)
    }
  }

  /** True when the sender can go on. */
  private unblock(senderPosition: number): boolean {
    try {
      const isUnblocked = this.unblocker.unblock(senderPosition)
      if (isUnblocked) {
        this.listener.onUnblocked(this)
      }
      return isUnblocked
    } catch (error) {
      this.fail(error)
      return false
    }
  }

  private setConnected(isConnected: boolean): void {
    if (LogBufferMetadata.isConnected(this.log.metadata) !== isConnected) {
      LogBufferMetadata.setIsConnected(this.log.metadata, isConnected)
    }
  }
}
