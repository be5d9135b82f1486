/**
 * The sending half of a network publication: new data as far as the limit goes, set-ups until a receiver answers,
 * heartbeats when there is nothing else to say, and lost data again.
 *
 * A set-up or a heartbeat carries where the stream stands, so a receiver that lost the last frame learns of it by the
 * next heartbeat.
 */
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import { CorruptFrame } from "@millrace/core/kernel/logbuffer/FrameDescriptor"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import { scanForAvailability, TermScan } from "@millrace/core/kernel/logbuffer/TermScanner"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import type { ReceiverLiveness } from "./ReceiverLiveness.ts"
import { RetransmitBudget } from "./RetransmitBudget.ts"
import { RetransmitHandler } from "./RetransmitHandler.ts"
import type { SentPublicationFields } from "./SentPublication.ts"
import {
  BYTES_SENT,
  HEARTBEATS_SENT,
  INVALID_PACKETS,
  RETRANSMITS_SENT,
  RETRANSMITTED_BYTES,
  RETRANSMIT_OVERFLOW,
  SENDER_FLOW_CONTROL_LIMITS,
  SHORT_SENDS
} from "./SystemCounters.ts"

const SETUP_INTERVAL_NS = 100e6
const HEARTBEAT_INTERVAL_NS = 100e6
const CONTROL_LENGTH = 64

export class PublicationSender {
  readonly retransmits: RetransmitHandler
  /** The log was overwritten: of what is in it nothing more is sent. */
  hasFailed = false
  private readonly fields: SentPublicationFields
  private readonly receivers: ReceiverLiveness
  private readonly scan = new TermScan()
  private readonly control = new HeapRegion("frame being sent", CONTROL_LENGTH).buffer()
  private readonly offsets: Int32Array
  private readonly lengths: Int32Array
  /** How far each datagram moves the position: with PAD more than its length. */
  private readonly advances: Int32Array
  private hasInitialConnection = false
  private isSetupElicited = false
  private isTrackingLimits = false
  private timeOfLastSetupNs: number
  private timeOfLastSendNs: number

  constructor(fields: SentPublicationFields, receivers: ReceiverLiveness, nowNs: number) {
    this.fields = fields
    this.receivers = receivers
    this.offsets = new Int32Array(fields.description.datagramsPerSendMax)
    this.lengths = new Int32Array(fields.description.datagramsPerSendMax)
    this.advances = new Int32Array(fields.description.datagramsPerSendMax)
    this.retransmits = new RetransmitHandler({
      delayNs: fields.description.retransmitDelayNs,
      lingerNs: fields.description.retransmitLingerNs,
      budget: new RetransmitBudget(fields.description.retransmitRate, fields.log.mtuLength, nowNs),
      isGroup: false,
      maxResend: fields.description.maxResend,
      resend: (termId, termOffset, length) => this.resend(termId, termOffset, length),
      onOverflow: () => fields.systemCounters.increment(RETRANSMIT_OVERFLOW)
    })
    this.timeOfLastSetupNs = nowNs - SETUP_INTERVAL_NS - 1
    this.timeOfLastSendNs = nowNs - HEARTBEAT_INTERVAL_NS - 1
  }

  /** Everything that the stream will ever have was sent. */
  get isEndOfStream(): boolean {
    const { log, senderPosition } = this.fields
    return (
      LogBufferMetadata.isPublicationRevoked(log.metadata) ||
      senderPosition.getVolatile() >= LogBufferMetadata.endOfStreamPosition(log.metadata)
    )
  }

  /** A status message came: the publication has or had a receiver. */
  onReceiver(): void {
    this.hasInitialConnection = true
  }

  elicitSetup(): void {
    this.isSetupElicited = true
  }

  /** Returns the bytes of data sent: set-ups and heartbeats are no work that an idle driver should stay awake for. */
  send(nowNs: number): number {
    const senderPosition = this.fields.senderPosition.getVolatile()
    if (!this.hasInitialConnection || this.isSetupElicited) {
      this.checkSetup(nowNs, senderPosition)
    }
    const bytesSent = this.sendData(nowNs, senderPosition)
    if (bytesSent === 0) {
      this.checkHeartbeat(nowNs, senderPosition)
    }
    this.retransmits.processTimeouts(nowNs)
    return bytesSent
  }

  replyRtt(echoTimestampNs: bigint, receiverId: bigint): void {
    const { sessionId, streamId } = this.fields.description
    RttMeasurementFrame.write(this.control, 0, 0, sessionId, streamId, echoTimestampNs, 0n, receiverId)
    this.sendControl(RttMeasurementFrame.HEADER_LENGTH)
  }

  private sendData(nowNs: number, senderPosition: number): number {
    const { endpoint, log, senderLimit } = this.fields
    const window = senderLimit.getVolatile() - senderPosition
    if (this.hasFailed) {
      return 0
    }
    if (window <= 0) {
      this.onBackPressure()
      return 0
    }
    const termOffset = LogBufferDescriptor.computeTermOffset(senderPosition, log.termLength)
    const term = log.terms[LogBufferDescriptor.indexByPosition(senderPosition, log.termLength)]!
    const count = this.collect(term, termOffset, window)
    if (count === 0) {
      return 0
    }
    const sent = endpoint.sendMany(term, this.offsets, this.lengths, count)
    if (sent < count) {
      this.fields.systemCounters.increment(SHORT_SENDS)
    }
    let bytesSent = 0
    let position = senderPosition
    for (let i = 0; i < sent; i++) {
      bytesSent += this.lengths[i]!
      position += this.advances[i]!
    }
    if (bytesSent > 0) {
      this.timeOfLastSendNs = nowNs
      this.isTrackingLimits = true
      this.fields.senderPosition.setRelease(position)
    }
    return bytesSent
  }

  /** Cuts what is there into datagrams; returns how many. */
  private collect(term: AtomicBuffer, termOffset: number, windowLength: number): number {
    const { mtuLength } = this.fields.log
    let window = windowLength
    let offset = termOffset
    let count = 0
    while (count < this.offsets.length && window > 0 && offset < term.length) {
      const available = scanForAvailability(term, offset, Math.min(window, mtuLength), this.scan)
      if (available <= 0) {
        if (available < 0 && count === 0) {
          this.onBackPressure()
        }
        break
      }
      const advance = available + this.scan.padding
      this.offsets[count] = offset
      this.lengths[count] = available
      this.advances[count] = advance
      count++
      offset += advance
      window -= advance
    }
    return count
  }

  /** Counted once each time the sender runs into its limit. */
  private onBackPressure(): void {
    if (this.isTrackingLimits) {
      const { senderBackPressure, systemCounters } = this.fields
      this.isTrackingLimits = false
      senderBackPressure.addRelease(1)
      systemCounters.increment(SENDER_FLOW_CONTROL_LIMITS)
    }
  }

  private checkSetup(nowNs: number, senderPosition: number): void {
    if (nowNs - this.timeOfLastSetupNs <= SETUP_INTERVAL_NS) {
      return
    }
    this.timeOfLastSetupNs = nowNs
    const { description, flowControl, log, senderLimit } = this.fields
    const { sessionId, streamId } = description
    if (this.isSetupElicited) {
      flowControl.onSetup(senderLimit.getVolatile(), nowNs)
    }
    SetupFrame.write(
      this.control,
      0,
      0,
      LogBufferDescriptor.computeTermOffset(senderPosition, log.termLength),
      sessionId,
      streamId,
      log.initialTermId,
      LogBufferDescriptor.computeTermId(senderPosition, log.termLength, log.initialTermId),
      log.termLength,
      log.mtuLength,
      0
    )
    this.sendControl(SetupFrame.HEADER_LENGTH)
    if (this.isSetupElicited && this.receivers.hasReceivers) {
      this.isSetupElicited = false
    }
  }

  private checkHeartbeat(nowNs: number, senderPosition: number): void {
    if (!this.hasInitialConnection || nowNs - this.timeOfLastSendNs <= HEARTBEAT_INTERVAL_NS) {
      return
    }
    const { description, log, systemCounters } = this.fields
    const { sessionId, streamId } = description
    DataFrame.write(
      this.control,
      0,
      0,
      this.heartbeatFlags(),
      LogBufferDescriptor.computeTermId(senderPosition, log.termLength, log.initialTermId),
      LogBufferDescriptor.computeTermOffset(senderPosition, log.termLength),
      sessionId,
      streamId
    )
    this.timeOfLastSendNs = nowNs
    systemCounters.increment(HEARTBEATS_SENT)
    systemCounters.get(BYTES_SENT).addRelease(this.sendControl(DataFrame.HEADER_LENGTH))
  }

  private heartbeatFlags(): number {
    if (LogBufferMetadata.isPublicationRevoked(this.fields.log.metadata)) {
      return FrameFlags.UNFRAGMENTED | FrameFlags.EOS | FrameFlags.REVOKED
    }
    return this.isEndOfStream && this.fields.description.signalEos
      ? FrameFlags.UNFRAGMENTED | FrameFlags.EOS
      : FrameFlags.UNFRAGMENTED
  }

  private sendControl(length: number): number {
    const sent = this.fields.endpoint.send(this.control, 0, length)
    if (sent !== length) {
      this.fields.systemCounters.increment(SHORT_SENDS)
    }
    return sent
  }

  /** Only what was sent before, and not so far back that it is being cleaned. */
  private resend(termId: number, termOffset: number, length: number): void {
    const { endpoint, log, senderPosition, systemCounters } = this.fields
    const { termLength } = log
    const position = LogBufferDescriptor.computePosition(termId, termOffset, termLength, log.initialTermId)
    const sentPosition = senderPosition.getVolatile()
    const bottom = sentPosition - termLength / 2 - LogBufferDescriptor.maxMessageLength(termLength)
    if (position < Math.max(bottom, 0) || position >= sentPosition) {
      return
    }
    const term = log.terms[LogBufferDescriptor.indexByPosition(position, termLength)]!
    let remaining = Math.min(length, sentPosition - position)
    let offset = termOffset
    let bytesSent = 0
    while (remaining > 0 && offset < termLength) {
      const available = this.scanForResend(term, termId, offset, Math.min(log.mtuLength, remaining))
      if (available <= 0) {
        break
      }
      if (endpoint.send(term, offset, available) !== available) {
        systemCounters.increment(SHORT_SENDS)
        break
      }
      const advance = available + this.scan.padding
      bytesSent += available
      remaining -= advance
      offset += advance
    }
    if (bytesSent > 0) {
      systemCounters.increment(RETRANSMITS_SENT)
      systemCounters.get(RETRANSMITTED_BYTES).addRelease(bytesSent)
    }
  }

  /** Whoever sends NAKs chooses the place: inside a payload anything may stand where a frame would say how long it is. */
  private scanForResend(term: AtomicBuffer, termId: number, termOffset: number, maxLength: number): number {
    const isFrame =
      DataFrame.termOffset(term, termOffset) === termOffset &&
      DataFrame.termId(term, termOffset) === termId &&
      DataFrame.sessionId(term, termOffset) === this.fields.description.sessionId
    try {
      if (isFrame) {
        return scanForAvailability(term, termOffset, maxLength, this.scan)
      }
    } catch (error) {
      if (!(error instanceof CorruptFrame)) {
        throw error
      }
    }
    this.fields.systemCounters.increment(INVALID_PACKETS)
    return 0
  }
}
