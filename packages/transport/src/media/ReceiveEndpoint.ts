/**
 * The receiving side of a channel: one socket that several subscriptions share. It hands frames to the dispatcher and
 * sends what receivers say: status messages, NAKs, round-trip measurements and rejections.
 */
import * as DatagramScanner from "@millrace/core/kernel/frame/DatagramScanner"
import * as ErrorFrame from "@millrace/core/kernel/frame/ErrorFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFault from "@millrace/core/kernel/frame/FrameFault"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as NakFrame from "@millrace/core/kernel/frame/NakFrame"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { TERM_LENGTH_MAX, TERM_LENGTH_MIN } from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import { ERROR_FRAMES_SENT, INVALID_PACKETS, SHORT_SENDS, type SystemCounters } from "../driver/SystemCounters.ts"
import type { Timestamps } from "./Timestamps.ts"
import type { DatagramHandler, UdpSocket } from "./UdpPort.ts"

/**
 * What arrives, already validated. Frames lie in `buffer` at `offset`, valid during the call. Answers are true when a
 * frame was more than a sign of life: then there is something to do.
 */
export interface ReceiveEndpointListener {
  /** `covered` is how many bytes of the term the datagram fills, 0 for a heartbeat. */
  onData(
    endpoint: ReceiveEndpoint,
    buffer: FrameBuffer,
    offset: number,
    length: number,
    covered: number,
    source: SocketAddress
  ): boolean
  onSetup(endpoint: ReceiveEndpoint, buffer: FrameBuffer, offset: number, source: SocketAddress): boolean
  onRttMeasurement(endpoint: ReceiveEndpoint, buffer: FrameBuffer, offset: number, source: SocketAddress): void
}

const DATAGRAMS_PER_POLL_MAX = 64
/** The longest control frame is a rejection with its text. */
const CONTROL_LENGTH = 2048

export class ReceiveEndpoint {
  readonly id: number
  readonly socket: UdpSocket
  readonly receiverId: bigint
  readonly groupTag: bigint | undefined
  private readonly timestamps: Timestamps | undefined
  /** Of what the last poll took in. */
  workCount = 0
  private readonly listener: ReceiveEndpointListener
  private readonly systemCounters: SystemCounters
  private readonly control = new HeapRegion("frame being sent", CONTROL_LENGTH).buffer()
  private readonly onDatagram: DatagramHandler = (buffer, offset, length, source) =>
    this.dispatch(buffer, offset, length, source)

  constructor(
    options: {
      readonly id: number
      readonly socket: UdpSocket
      readonly receiverId: bigint
      readonly groupTag: bigint | undefined
      /** Undefined where messages get no time. */
      readonly timestamps: Timestamps | undefined
      readonly systemCounters: SystemCounters
    },
    listener: ReceiveEndpointListener
  ) {
    this.id = options.id
    this.socket = options.socket
    this.receiverId = options.receiverId
    this.groupTag = options.groupTag
    this.timestamps = options.timestamps
    this.systemCounters = options.systemCounters
    this.listener = listener
  }

  /** Takes in what has arrived; returns the bytes. `workCount` then says how many datagrams were more than a sign of life. */
  poll(): number {
    this.workCount = 0
    return this.socket.poll(this.onDatagram, DATAGRAMS_PER_POLL_MAX)
  }

  sendStatusMessage(
    target: SocketAddress,
    sessionId: number,
    streamId: number,
    termId: number,
    termOffset: number,
    windowLength: number,
    flags: number
  ): void {
    const { control, groupTag, receiverId } = this
    StatusMessageFrame.write(control, 0, flags, sessionId, streamId, termId, termOffset, windowLength, receiverId)
    if (groupTag === undefined) {
      this.send(StatusMessageFrame.HEADER_LENGTH, target)
    } else {
      StatusMessageFrame.writeGroupTag(control, 0, groupTag)
      this.send(StatusMessageFrame.HEADER_LENGTH_WITH_GROUP_TAG, target)
    }
  }

  /** Asks the source of a stream that is not known yet to describe it. */
  elicitSetup(target: SocketAddress, sessionId: number, streamId: number): void {
    this.sendStatusMessage(target, sessionId, streamId, 0, 0, 0, FrameFlags.SM_SETUP)
  }

  sendNak(
    target: SocketAddress,
    sessionId: number,
    streamId: number,
    termId: number,
    termOffset: number,
    length: number
  ): void {
    NakFrame.write(this.control, 0, sessionId, streamId, termId, termOffset, length)
    this.send(NakFrame.HEADER_LENGTH, target)
  }

  /** A request for an answer, or the answer to one. */
  sendRttMeasurement(
    target: SocketAddress,
    sessionId: number,
    streamId: number,
    echoTimestampNs: bigint,
    isRequest: boolean
  ): void {
    const flags = isRequest ? FrameFlags.RTTM_REPLY : 0
    RttMeasurementFrame.write(this.control, 0, flags, sessionId, streamId, echoTimestampNs, 0n, this.receiverId)
    this.send(RttMeasurementFrame.HEADER_LENGTH, target)
  }

  sendError(target: SocketAddress, sessionId: number, streamId: number, code: number, text: string): void {
    const length = ErrorFrame.write(this.control, 0, sessionId, streamId, this.receiverId, code, text)
    if (this.groupTag !== undefined) {
      ErrorFrame.writeGroupTag(this.control, 0, this.groupTag)
    }
    this.systemCounters.increment(ERROR_FRAMES_SENT)
    this.send(length, target)
  }

  private send(length: number, target: SocketAddress): void {
    if (this.socket.send(this.control, 0, length, target) !== length) {
      this.systemCounters.increment(SHORT_SENDS)
    }
  }

  private dispatch(buffer: FrameBuffer, offset: number, length: number, source: SocketAddress): void {
    const covered = DatagramScanner.validate(buffer, offset, length)
    if (FrameFault.isFault(covered)) {
      this.systemCounters.increment(INVALID_PACKETS)
      return
    }
    switch (HeaderDescriptor.type(buffer, offset)) {
      case FrameType.DATA:
      case FrameType.PAD:
        this.timestamps?.write(buffer, offset, length)
        if (this.listener.onData(this, buffer, offset, length, covered, source)) {
          this.workCount++
        }
        return undefined
      case FrameType.SETUP:
        if (SetupFrame.isValid(buffer, offset, TERM_LENGTH_MIN, TERM_LENGTH_MAX)) {
          if (this.listener.onSetup(this, buffer, offset, source)) {
            this.workCount++
          }
          return undefined
        }
        return this.systemCounters.increment(INVALID_PACKETS)
      case FrameType.RTTM: {
        const receiverId = RttMeasurementFrame.receiverId(buffer, offset)
        if (receiverId === this.receiverId || receiverId === 0n) {
          this.listener.onRttMeasurement(this, buffer, offset, source)
        }
        return undefined
      }
      default:
        // Status messages and NAKs are for senders.
        return undefined
    }
  }
}
