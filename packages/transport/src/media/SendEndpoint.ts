/**
 * The sending side of a channel as the sender has it: one socket that several publications share, and the dispatch of what receivers send
 * back to the publication it is for.
 */
import * as DatagramScanner from "@millrace/core/kernel/frame/DatagramScanner"
import * as ErrorFrame from "@millrace/core/kernel/frame/ErrorFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFault from "@millrace/core/kernel/frame/FrameFault"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as NakFrame from "@millrace/core/kernel/frame/NakFrame"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import {
  ERROR_FRAMES_RECEIVED,
  INVALID_PACKETS,
  NAK_MESSAGES_RECEIVED,
  STATUS_MESSAGES_RECEIVED,
  type SystemCounters
} from "../driver/SystemCounters.ts"
import type { Timestamps } from "./Timestamps.ts"
import type { DatagramHandler, UdpSocket } from "./UdpPort.ts"

/** What a publication is told by its receivers. Frames lie in `buffer` at `offset`, valid during the call. */
export interface SendEndpointListener {
  readonly sessionId: number
  readonly streamId: number
  readonly termLength: number
  /** True when there is something to do now: more may be sent, or a set-up is asked for. */
  onStatusMessage(buffer: FrameBuffer, offset: number, nowNs: number): boolean
  onNak(buffer: FrameBuffer, offset: number, nowNs: number): void
  onError(buffer: FrameBuffer, offset: number, source: SocketAddress): void
  onRttMeasurement(buffer: FrameBuffer, offset: number): void
  /** When a receiver was last heard of. */
  readonly timeOfLastStatusNs: number
}

const DATAGRAMS_PER_POLL_MAX = 64
const TERM_LENGTH_MAX = 1024 ** 3

export interface SendEndpointFields {
  readonly id: number
  readonly socket: UdpSocket
  /** Undefined where messages get no time. */
  readonly timestamps: Timestamps | undefined
  readonly systemCounters: SystemCounters
}

export class SendEndpoint {
  readonly id: number
  readonly socket: UdpSocket
  /** Where to send; changes when the name is resolved anew. */
  remote: SocketAddress
  timeOfLastResolutionNs: number
  private readonly timestamps: Timestamps | undefined
  private readonly systemCounters: SystemCounters
  private readonly publications = new Map<number, Map<number, SendEndpointListener>>()
  private nowNs = 0
  private workCount = 0
  private readonly onDatagram: DatagramHandler = (buffer, offset, length, source) =>
    this.dispatch(buffer, offset, length, source)

  constructor(fields: SendEndpointFields, remote: SocketAddress, nowNs: number) {
    this.id = fields.id
    this.socket = fields.socket
    this.timestamps = fields.timestamps
    this.systemCounters = fields.systemCounters
    this.remote = remote
    this.timeOfLastResolutionNs = nowNs
  }

  register(publication: SendEndpointListener): void {
    const sessions = this.publications.get(publication.streamId) ?? new Map<number, SendEndpointListener>()
    sessions.set(publication.sessionId, publication)
    this.publications.set(publication.streamId, sessions)
  }

  unregister(publication: SendEndpointListener): void {
    const sessions = this.publications.get(publication.streamId)
    sessions?.delete(publication.sessionId)
    if (sessions?.size === 0) {
      this.publications.delete(publication.streamId)
    }
  }

  send(buffer: FrameBuffer, offset: number, length: number): number {
    this.timestamps?.write(buffer, offset, length)
    return this.socket.send(buffer, offset, length, this.remote)
  }

  sendMany(buffer: AtomicBuffer, offsets: Int32Array, lengths: Int32Array, count: number): number {
    this.timestamps?.writeMany(buffer, offsets, lengths, count)
    return this.socket.sendMany(buffer, offsets, lengths, count, this.remote)
  }

  /** Takes in what receivers sent; returns how much of it gives the sender something to do. */
  poll(nowNs: number): number {
    this.nowNs = nowNs
    this.workCount = 0
    this.socket.poll(this.onDatagram, DATAGRAMS_PER_POLL_MAX)
    return this.workCount
  }

  /** Whether no receiver was heard of for this long. */
  isSilent(nowNs: number, timeoutNs: number): boolean {
    for (const sessions of this.publications.values()) {
      for (const { timeOfLastStatusNs } of sessions.values()) {
        if (nowNs - timeOfLastStatusNs <= timeoutNs) {
          return false
        }
      }
    }
    return true
  }

  private dispatch(buffer: FrameBuffer, offset: number, length: number, source: SocketAddress): void {
    if (FrameFault.isFault(DatagramScanner.validate(buffer, offset, length))) {
      this.systemCounters.increment(INVALID_PACKETS)
      return
    }
    switch (HeaderDescriptor.type(buffer, offset)) {
      case FrameType.SM:
        return this.onStatusMessage(buffer, offset)
      case FrameType.NAK:
        return this.onNak(buffer, offset)
      case FrameType.ERR:
        this.systemCounters.increment(ERROR_FRAMES_RECEIVED)
        return this.find(ErrorFrame.streamId(buffer, offset), ErrorFrame.sessionId(buffer, offset))?.onError(
          buffer,
          offset,
          source
        )
      case FrameType.RTTM:
        return this.find(
          RttMeasurementFrame.streamId(buffer, offset),
          RttMeasurementFrame.sessionId(buffer, offset)
        )?.onRttMeasurement(buffer, offset)
      default:
        // Data and set-ups are for receivers; a sender has no use for them.
        return undefined
    }
  }

  private onStatusMessage(buffer: FrameBuffer, offset: number): void {
    const streamId = StatusMessageFrame.streamId(buffer, offset)
    const publication = this.find(streamId, StatusMessageFrame.sessionId(buffer, offset))
    if (!StatusMessageFrame.isValid(buffer, offset, publication?.termLength ?? TERM_LENGTH_MAX)) {
      this.systemCounters.increment(INVALID_PACKETS)
      return
    }
    this.systemCounters.increment(STATUS_MESSAGES_RECEIVED)
    if (publication?.onStatusMessage(buffer, offset, this.nowNs) === true) {
      this.workCount++
    }
  }

  private onNak(buffer: FrameBuffer, offset: number): void {
    const publication = this.find(NakFrame.streamId(buffer, offset), NakFrame.sessionId(buffer, offset))
    if (publication === undefined) {
      return
    }
    if (NakFrame.isValid(buffer, offset, publication.termLength)) {
      this.systemCounters.increment(NAK_MESSAGES_RECEIVED)
      this.workCount++
      publication.onNak(buffer, offset, this.nowNs)
    } else {
      this.systemCounters.increment(INVALID_PACKETS)
    }
  }

  private find(streamId: number, sessionId: number): SendEndpointListener | undefined {
    return this.publications.get(streamId)?.get(sessionId)
  }
}
