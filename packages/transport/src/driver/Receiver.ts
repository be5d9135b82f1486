/** The receiver: the agent that takes data from the network into images and tells their sources what came. */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import { DutyCycleTracker } from "@millrace/core/kernel/agent/DutyCycleTracker"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { ReceiveEndpoint, ReceiveEndpointListener } from "../media/ReceiveEndpoint.ts"
import { DataPacketDispatcher, type SessionState } from "./DataPacketDispatcher.ts"
import type { PublicationImage } from "./PublicationImage.ts"
import {
  BYTES_RECEIVED,
  RECEIVER_CYCLE_TIME_THRESHOLD_EXCEEDED,
  RECEIVER_MAX_CYCLE_TIME,
  type SystemCounters
} from "./SystemCounters.ts"

/** What a SETUP says. */
export interface ImageRequest {
  readonly endpoint: ReceiveEndpoint
  readonly source: SocketAddress
  readonly sessionId: number
  readonly streamId: number
  readonly initialTermId: number
  readonly activeTermId: number
  readonly termOffset: number
  readonly termLength: number
  readonly mtuLength: number
  readonly flags: number
}

export interface ReceiverOptions {
  readonly systemCounters: SystemCounters
  readonly cycleThresholdNs: number
  readonly sessionLimit: number
  /** An image is to be made; its session is `InitInProgress` until it is there or given up. */
  readonly onSetup: (request: ImageRequest) => void
  /** More sessions than are remembered send data of one stream. */
  readonly onEvicted: (endpoint: ReceiveEndpoint) => void
}

interface PendingSetup {
  readonly endpoint: ReceiveEndpoint
  readonly sessionId: number
  readonly streamId: number
  readonly sinceNs: number
}

/** A source that was asked for a SETUP and does not answer may be asked again after this time. */
const PENDING_SETUP_TIMEOUT_NS = 1e9
/** Sources that are asked for a SETUP at one time. */
const PENDING_SETUPS_MAX = 1024

export class Receiver implements Agent, ReceiveEndpointListener {
  readonly roleName = "receiver"
  private readonly options: ReceiverOptions
  private readonly dutyCycle: DutyCycleTracker
  private readonly dispatchers = new Map<ReceiveEndpoint, DataPacketDispatcher>()
  private endpoints: ReadonlyArray<ReceiveEndpoint> = []
  private socketDescriptors: ReadonlyArray<number> = []
  private images: ReadonlyArray<PublicationImage> = []
  private pendingSetups: Array<PendingSetup> = []
  private nowNs = 0

  constructor(options: ReceiverOptions) {
    const { systemCounters } = options
    this.options = options
    this.dutyCycle = new DutyCycleTracker(options.cycleThresholdNs, {
      proposeMax: (ns) => systemCounters.get(RECEIVER_MAX_CYCLE_TIME).proposeMaxRelease(ns),
      thresholdExceeded: () => systemCounters.increment(RECEIVER_CYCLE_TIME_THRESHOLD_EXCEEDED)
    })
  }

  onStart(nowNs: number): void {
    this.dutyCycle.update(nowNs)
  }

  doWork(nowNs: number): number {
    this.nowNs = nowNs
    this.dutyCycle.measureAndUpdate(nowNs)
    let bytesReceived = 0
    let workCount = 0
    for (const endpoint of this.endpoints) {
      bytesReceived += endpoint.poll()
      workCount += endpoint.workCount
    }
    if (bytesReceived > 0) {
      this.options.systemCounters.get(BYTES_RECEIVED).addRelease(bytesReceived)
    }
    for (const image of this.images) {
      workCount += image.isConnected(nowNs) ? image.sendFeedback(nowNs) : this.release(image)
    }
    this.checkPendingSetups()
    return workCount
  }

  descriptors(): ReadonlyArray<number> {
    return this.socketDescriptors
  }

  onRegisterEndpoint(endpoint: ReceiveEndpoint): void {
    this.setEndpoints([...this.endpoints, endpoint])
    this.dispatchers.set(endpoint, this.newDispatcher(endpoint))
  }

  onCloseEndpoint(endpoint: ReceiveEndpoint): void {
    this.setEndpoints(this.endpoints.filter((other) => other !== endpoint))
    this.pendingSetups = this.pendingSetups.filter((pending) => pending.endpoint !== endpoint)
    this.dispatchers.delete(endpoint)
  }

  onAddSubscription(endpoint: ReceiveEndpoint, streamId: number, sessionId: number | undefined): void {
    this.dispatchers.get(endpoint)?.addSubscription(streamId, sessionId)
  }

  onRemoveSubscription(endpoint: ReceiveEndpoint, streamId: number, sessionId: number | undefined): void {
    this.dispatchers.get(endpoint)?.removeSubscription(streamId, sessionId)
  }

  onNewImage(image: PublicationImage): void {
    this.images = [...this.images, image]
    this.dispatchers.get(image.endpoint)?.addImage(image)
  }

  onRemoveState(endpoint: ReceiveEndpoint, sessionId: number, streamId: number, state: SessionState): void {
    this.dispatchers.get(endpoint)?.removeState(sessionId, streamId, state)
  }

  onData(
    endpoint: ReceiveEndpoint,
    buffer: FrameBuffer,
    offset: number,
    length: number,
    covered: number,
    source: SocketAddress
  ): boolean {
    return this.dispatchers.get(endpoint)?.onData(buffer, offset, length, covered, source, this.nowNs) === true
  }

  onSetup(endpoint: ReceiveEndpoint, buffer: FrameBuffer, offset: number, source: SocketAddress): boolean {
    return this.dispatchers.get(endpoint)?.onSetup(buffer, offset, source) === true
  }

  /** A request is answered; an answer to a request of ours belongs to its image. */
  onRttMeasurement(endpoint: ReceiveEndpoint, buffer: FrameBuffer, offset: number, source: SocketAddress): void {
    const sessionId = RttMeasurementFrame.sessionId(buffer, offset)
    const streamId = RttMeasurementFrame.streamId(buffer, offset)
    const image = this.dispatchers.get(endpoint)?.findImage(streamId, sessionId)
    if (image === undefined) {
      return
    }
    const echoTimestampNs = RttMeasurementFrame.echoTimestampNs(buffer, offset)
    if (FrameFlags.has(HeaderDescriptor.flags(buffer, offset), FrameFlags.RTTM_REPLY)) {
      endpoint.sendRttMeasurement(source, sessionId, streamId, echoTimestampNs, false)
    } else {
      const deltaNs = Number(RttMeasurementFrame.receptionDeltaNs(buffer, offset))
      image.feedback.onRttMeasurement(this.nowNs, Number(echoTimestampNs), deltaNs)
    }
  }

  private setEndpoints(endpoints: ReadonlyArray<ReceiveEndpoint>): void {
    this.endpoints = endpoints
    this.socketDescriptors = endpoints.flatMap(({ socket }) =>
      socket.descriptor === undefined ? [] : [socket.descriptor]
    )
  }

  private release(image: PublicationImage): number {
    this.images = this.images.filter((other) => other !== image)
    const dispatcher = this.dispatchers.get(image.endpoint)
    if (dispatcher === undefined) {
      image.deactivate()
    } else {
      dispatcher.removeImage(image)
    }
    image.onReceiverReleased()
    return 1
  }

  /** Beyond the limit the session stays unknown: its next datagram finds room, or the one after it. */
  private elicitSetup(pending: PendingSetup, source: SocketAddress): void {
    const { endpoint, sessionId, streamId } = pending
    if (this.pendingSetups.length >= PENDING_SETUPS_MAX) {
      this.onRemoveState(endpoint, sessionId, streamId, "PendingSetup")
      return
    }
    this.pendingSetups.push(pending)
    endpoint.elicitSetup(source, sessionId, streamId)
  }

  private checkPendingSetups(): void {
    const isOver = ({ sinceNs }: PendingSetup): boolean => this.nowNs - sinceNs > PENDING_SETUP_TIMEOUT_NS
    if (!this.pendingSetups.some(isOver)) {
      return
    }
    for (const { endpoint, sessionId, streamId } of this.pendingSetups.filter(isOver)) {
      this.onRemoveState(endpoint, sessionId, streamId, "PendingSetup")
    }
    this.pendingSetups = this.pendingSetups.filter((pending) => !isOver(pending))
  }

  private newDispatcher(endpoint: ReceiveEndpoint): DataPacketDispatcher {
    return new DataPacketDispatcher(
      {
        onUnknownStream: (sessionId, streamId, source) =>
          this.elicitSetup({ endpoint, sessionId, streamId, sinceNs: this.nowNs }, source),
        onSetup: (buffer, offset, source) => this.options.onSetup(requestOf(endpoint, buffer, offset, source)),
        onEvicted: () => this.options.onEvicted(endpoint)
      },
      this.options.sessionLimit
    )
  }
}

const requestOf = (
  endpoint: ReceiveEndpoint,
  buffer: FrameBuffer,
  offset: number,
  source: SocketAddress
): ImageRequest => ({
  endpoint,
  source,
  sessionId: SetupFrame.sessionId(buffer, offset),
  streamId: SetupFrame.streamId(buffer, offset),
  initialTermId: SetupFrame.initialTermId(buffer, offset),
  activeTermId: SetupFrame.activeTermId(buffer, offset),
  termOffset: SetupFrame.termOffset(buffer, offset),
  termLength: SetupFrame.termLength(buffer, offset),
  mtuLength: SetupFrame.mtu(buffer, offset),
  flags: HeaderDescriptor.flags(buffer, offset)
})
