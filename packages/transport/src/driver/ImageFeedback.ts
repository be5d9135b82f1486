/**
 * What the source of an image is told: status messages, in whose place a rejection may stand, NAKs, and requests to
 * measure the round trip.
 *
 * A status message goes out when a quarter of the window was consumed since the last one, when the window changes, and
 * after the status message timeout in any case. What arrives is judged by the last one that was sent.
 */
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import { IMAGE_REJECTED } from "../command/ErrorCode.ts"
import type { ReceivedImageFields } from "./ReceivedImage.ts"
import { NAK_MESSAGES_SENT, STATUS_MESSAGES_SENT } from "./SystemCounters.ts"

export class ImageFeedback {
  /** Where the last status message stood: older data is not needed any more. */
  lastStatusPosition: number
  /** Data beyond it would overwrite what is still being read. */
  overrunPosition: number
  /** Where the next one will stand. */
  nextStatusPosition: number
  /** The window that the next one will tell. */
  windowLength: number
  private readonly fields: ReceivedImageFields
  private isScheduled = false
  private isEndOfStream = false
  private deadlineNs = -Infinity
  private rejectionReason: string | undefined = undefined

  constructor(fields: ReceivedImageFields) {
    this.fields = fields
    const { joinPosition } = fields.description
    this.lastStatusPosition = joinPosition
    this.overrunPosition = joinPosition + fields.log.termLength / 2
    this.nextStatusPosition = joinPosition
    this.windowLength = fields.congestionControl.initialWindowLength
  }

  get isRejecting(): boolean {
    return this.rejectionReason !== undefined
  }

  reject(reason: string): void {
    this.rejectionReason = reason
  }

  /** The next status messages say that the receiver has everything, or leaves. */
  sendEndOfStream(): void {
    this.isEndOfStream = true
    this.deadlineNs = -Infinity
  }

  shouldSchedule(consumptionPosition: number): boolean {
    const { isStatusMessageForced, windowLength } = this.fields.congestionControl
    return (
      isStatusMessageForced ||
      windowLength !== this.windowLength ||
      consumptionPosition > this.nextStatusPosition + Math.floor(windowLength / 4)
    )
  }

  schedule(consumptionPosition: number): void {
    this.nextStatusPosition = consumptionPosition
    this.windowLength = this.fields.congestionControl.windowLength
    this.isScheduled = true
  }

  sendNak(termId: number, termOffset: number, length: number): void {
    const { description, endpoint, source, systemCounters } = this.fields
    const { sessionId, streamId } = description
    endpoint.sendNak(source, sessionId, streamId, termId, termOffset, length)
    systemCounters.increment(NAK_MESSAGES_SENT)
  }

  onRttMeasurement(nowNs: number, echoTimestampNs: number, receptionDeltaNs: number): void {
    this.fields.congestionControl.onRttMeasurement(nowNs, nowNs - echoTimestampNs - receptionDeltaNs)
  }

  doWork(nowNs: number): number {
    return this.sendStatus(nowNs) + this.measureRtt(nowNs)
  }

  private sendStatus(nowNs: number): number {
    const { description, endpoint, source } = this.fields
    const { sessionId, statusMessageTimeoutNs, streamId } = description
    const isDue = nowNs > this.deadlineNs
    if (this.rejectionReason !== undefined) {
      if (!isDue) {
        return 0
      }
      endpoint.sendError(source, sessionId, streamId, IMAGE_REJECTED, this.rejectionReason)
      this.deadlineNs = nowNs + statusMessageTimeoutNs
      return 0
    }
    if (!this.isScheduled && !isDue) {
      return 0
    }
    // One that is only due says that the receiver lives: no work that an idle driver should stay awake for.
    const workCount = this.isScheduled ? 1 : 0
    this.isScheduled = false
    this.deadlineNs = nowNs + statusMessageTimeoutNs
    this.sendStatusMessage()
    return workCount
  }

  private sendStatusMessage(): void {
    const { description, endpoint, log, source, systemCounters } = this.fields
    const { sessionId, streamId } = description
    const position = this.nextStatusPosition
    endpoint.sendStatusMessage(
      source,
      sessionId,
      streamId,
      LogBufferDescriptor.computeTermId(position, log.termLength, log.initialTermId),
      LogBufferDescriptor.computeTermOffset(position, log.termLength),
      this.windowLength,
      this.isEndOfStream ? FrameFlags.SM_EOS : 0
    )
    systemCounters.increment(STATUS_MESSAGES_SENT)
    this.lastStatusPosition = position
    this.overrunPosition = position + log.termLength / 2
    if (LogBufferMetadata.activeTransportCount(log.metadata) !== 1) {
      LogBufferMetadata.setActiveTransportCount(log.metadata, 1)
    }
  }

  private measureRtt(nowNs: number): number {
    const { congestionControl, description, endpoint, source } = this.fields
    const { sessionId, streamId } = description
    if (!congestionControl.shouldMeasureRtt(nowNs)) {
      return 0
    }
    endpoint.sendRttMeasurement(source, sessionId, streamId, BigInt(Math.floor(nowNs)), true)
    congestionControl.onRttMeasurementSent(nowNs)
    return 1
  }
}
