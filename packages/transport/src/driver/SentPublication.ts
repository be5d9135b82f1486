/**
 * The sender's half of a network publication: what is sent and what receivers answer. The conductor's half
 * (`NetworkPublication`) moves the publisher's limit and ends the stream; the two share the log and the counters.
 */
import type { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import * as ErrorFrame from "@millrace/core/kernel/frame/ErrorFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as NakFrame from "@millrace/core/kernel/frame/NakFrame"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { FlowControl, ReceiverStatus } from "../flow/FlowControl.ts"
import type { SendEndpoint, SendEndpointListener } from "../media/SendEndpoint.ts"
import type { ConductorCommands, ReceiversStatus } from "./ConductorCommands.ts"
import { PublicationSender } from "./PublicationSender.ts"
import { ReceiverLiveness } from "./ReceiverLiveness.ts"
import type { SentPublicationDescription } from "./SenderCommands.ts"
import { STATUS_MESSAGES_REJECTED, type SystemCounters } from "./SystemCounters.ts"

export interface SentPublicationFields {
  readonly description: SentPublicationDescription
  readonly log: LogBuffers
  readonly endpoint: SendEndpoint
  readonly flowControl: FlowControl
  readonly senderPosition: AtomicCounter
  readonly senderLimit: AtomicCounter
  readonly senderBackPressure: AtomicCounter
  readonly senderNaksReceived: AtomicCounter
  readonly systemCounters: SystemCounters
}

const TELLING_INTERVAL_NS = 1e6

const NO_RECEIVERS: ReceiversStatus = { hasReceivers: false, isConnected: false, hasReceivedEos: false }

export class SentPublication implements SendEndpointListener {
  readonly registrationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly termLength: number
  readonly log: LogBuffers
  readonly endpoint: SendEndpoint
  /** Never, at first: publications that come and go keep nobody from looking the name up again. */
  timeOfLastStatusNs = -Infinity
  private readonly fields: SentPublicationFields
  private readonly conductor: ConductorCommands
  private readonly flowControl: FlowControl
  private readonly liveness = new ReceiverLiveness()
  private readonly sender: PublicationSender
  private hasReceivedEos = false
  /** What the conductor knows. */
  private told = NO_RECEIVERS
  private timeOfLastTellingNs = -Infinity

  constructor(fields: SentPublicationFields, conductor: ConductorCommands, nowNs: number) {
    const { description, log } = fields
    this.fields = fields
    this.conductor = conductor
    this.registrationId = description.registrationId
    this.sessionId = description.sessionId
    this.streamId = description.streamId
    this.log = log
    this.termLength = log.termLength
    this.endpoint = fields.endpoint
    this.flowControl = fields.flowControl
    this.sender = new PublicationSender(fields, this.liveness, nowNs)
  }

  /** Data, set-ups, heartbeats, retransmits. Returns the bytes of data sent. */
  send(nowNs: number): number {
    const bytesSent = this.sender.send(nowNs)
    if (bytesSent === 0) {
      const { description, senderLimit } = this.fields
      senderLimit.setRelease(this.flowControl.onIdle(nowNs, senderLimit.getVolatile()))
      this.liveness.onIdle(nowNs, description.connectionTimeoutNs)
    }
    this.tellConductor(nowNs)
    return bytesSent
  }

  /** Of what is in the log nothing more is sent. */
  fail(): void {
    this.sender.hasFailed = true
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
    const { senderLimit, senderPosition, systemCounters } = this.fields
    if (Math.abs(status.position - senderPosition.getVolatile()) > this.termLength / 2) {
      systemCounters.increment(STATUS_MESSAGES_REJECTED)
      return false
    }
    // Of the receiver that spoke last: an earlier one that left says nothing of one that came since.
    this.hasReceivedEos = status.isEndOfStream
    if (status.isEndOfStream) {
      this.liveness.onRemoteClose(status.receiverId)
    } else {
      this.liveness.onStatusMessage(status.receiverId, nowNs)
    }
    this.timeOfLastStatusNs = nowNs
    this.sender.onReceiver()
    const limit = senderLimit.getVolatile()
    const newLimit = this.flowControl.onStatusMessage(status, limit, nowNs)
    senderLimit.setRelease(newLimit)
    return newLimit !== limit
  }

  onNak(buffer: FrameBuffer, offset: number, nowNs: number): void {
    const { senderNaksReceived } = this.fields
    senderNaksReceived.addRelease(1)
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
      this.conductor.onRejected(this.registrationId, {
        sessionId: this.sessionId,
        streamId: this.streamId,
        receiverId,
        groupTag: groupTag ?? -1n,
        address: source.address,
        port: source.port,
        code: ErrorFrame.errorCode(buffer, offset),
        message: ErrorFrame.text(buffer, offset)
      })
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

  /** Once a millisecond at most: receivers choose how often they change. */
  private tellConductor(nowNs: number): void {
    if (nowNs - this.timeOfLastTellingNs < TELLING_INTERVAL_NS) {
      return
    }
    const { hasReceivedEos, told } = this
    const { hasReceivers } = this.liveness
    const isConnected = hasReceivers && this.flowControl.hasRequiredReceivers
    if (
      hasReceivers !== told.hasReceivers ||
      isConnected !== told.isConnected ||
      hasReceivedEos !== told.hasReceivedEos
    ) {
      this.timeOfLastTellingNs = nowNs
      this.told = { hasReceivers, isConnected, hasReceivedEos }
      this.conductor.onReceivers(this.registrationId, this.told)
    }
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
}
