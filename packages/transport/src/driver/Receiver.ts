/** The receiver: the agent that takes data from the network into images and tells their sources what came. */
import { type Agent, AgentTermination } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { DutyCycleTracker } from "@millrace/core/kernel/agent/DutyCycleTracker"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { LossReport } from "@millrace/core/kernel/lossreport/LossReport"
import { ReceiveEndpoint, type ReceiveEndpointListener } from "../media/ReceiveEndpoint.ts"
import { TimestampSource } from "../media/Timestamps.ts"
import type { AgentResources } from "./AgentResources.ts"
import type { ConductorCommands, ImageRequest } from "./ConductorCommands.ts"
import { DataPacketDispatcher, type SessionState } from "./DataPacketDispatcher.ts"
import { LeavingEndpoints } from "./LeavingEndpoints.ts"
import { type PendingSetup, PendingSetups } from "./PendingSetups.ts"
import type { ReceivedImage, ReceivedImageListener } from "./ReceivedImage.ts"
import { makeReceivedImage } from "./ReceivedImageFactory.ts"
import type { ReceivedImageDescription, ReceiveEndpointDescription, ReceiverCommands } from "./ReceiverCommands.ts"
import {
  BYTES_RECEIVED,
  RECEIVER_CYCLE_TIME_THRESHOLD_EXCEEDED,
  RECEIVER_MAX_CYCLE_TIME,
  type SystemCounters
} from "./SystemCounters.ts"

export interface ReceiverOptions {
  readonly systemCounters: SystemCounters
  readonly cycleThresholdNs: number
  readonly sessionLimit: number
  readonly resources: AgentResources
  readonly lossReport: LossReport
  readonly clock: Clock
  readonly conductor: ConductorCommands
}

/** Set-ups that the conductor works on at one time; further ones are not heard, and come again. */
const SETUPS_UNDER_WAY_MAX = 256

export class Receiver implements Agent, ReceiverCommands, ReceiveEndpointListener, ReceivedImageListener {
  readonly roleName = "receiver"
  private readonly options: ReceiverOptions
  private readonly dutyCycle: DutyCycleTracker
  private readonly dispatchers = new Map<ReceiveEndpoint, DataPacketDispatcher>()
  private endpoints: ReadonlyArray<ReceiveEndpoint> = []
  private socketDescriptors: ReadonlyArray<number> = []
  private readonly leaving: LeavingEndpoints
  private readonly timestamps: TimestampSource
  private readonly lossEntries = new Map<ReceivedImage, number>()
  private images: ReadonlyArray<ReceivedImage> = []
  /** Sessions that were forgotten in this cycle. */
  private readonly evictions = new Map<ReceiveEndpoint, number>()
  /** Streams of this cycle that have as many images as they may have. */
  private readonly fullStreams = new Map<ReceiveEndpoint, Set<number>>()
  private readonly pendingSetups = new PendingSetups()
  /** Of which the conductor has not said yet what became of them. */
  private setupsUnderWay = 0
  private nowNs = 0
  private isTerminated = false

  constructor(options: ReceiverOptions) {
    const { systemCounters } = options
    this.options = options
    this.timestamps = new TimestampSource(options.clock)
    this.leaving = new LeavingEndpoints((endpointId) => options.conductor.onEndpointReleased(endpointId))
    this.dutyCycle = new DutyCycleTracker(options.cycleThresholdNs, {
      proposeMax: (ns) => systemCounters.get(RECEIVER_MAX_CYCLE_TIME).proposeMaxRelease(ns),
      thresholdExceeded: () => systemCounters.increment(RECEIVER_CYCLE_TIME_THRESHOLD_EXCEEDED)
    })
  }

  onStart(nowNs: number): void {
    this.nowNs = nowNs
    this.dutyCycle.update(nowNs)
  }

  doWork(nowNs: number): number {
    this.nowNs = nowNs
    this.dutyCycle.measureAndUpdate(nowNs)
    if (this.isTerminated) {
      throw new AgentTermination()
    }
    let workCount = this.leaving.doWork()
    let bytesReceived = 0
    for (const endpoint of this.endpoints) {
      bytesReceived += endpoint.poll()
      workCount += endpoint.workCount
    }
    if (bytesReceived > 0) {
      this.options.systemCounters.get(BYTES_RECEIVED).addRelease(bytesReceived)
    }
    for (const image of this.images) {
      workCount += image.isConnected(nowNs)
        ? this.trackRebuild(image, nowNs) + image.sendFeedback(nowNs)
        : this.release(image)
    }
    this.pendingSetups.removeOld(nowNs, this.forget)
    this.tellEvictions()
    this.tellFullStreams()
    return workCount
  }

  descriptors(): ReadonlyArray<number> {
    return this.socketDescriptors
  }

  onClose(): void {
    for (const { log } of this.images) {
      this.options.resources.closeLog(log)
    }
    this.images = []
    this.setEndpoints([])
  }

  onRegisterEndpoint({ groupTag, id, receiverId, socket, timestampOffset }: ReceiveEndpointDescription): void {
    const { resources, systemCounters } = this.options
    const fields = { id, socket: resources.openSocket(id, socket), timestamps: this.timestamps.at(timestampOffset) }
    const endpoint = new ReceiveEndpoint({ ...fields, receiverId, groupTag, systemCounters }, this)
    this.setEndpoints([...this.endpoints, endpoint])
    this.dispatchers.set(endpoint, this.newDispatcher(endpoint))
  }

  onCloseEndpoint(endpointId: number): void {
    const endpoint = this.findEndpoint(endpointId)
    if (endpoint !== undefined) {
      this.setEndpoints(this.endpoints.filter((other) => other !== endpoint))
      this.pendingSetups.removeEndpoint(endpoint)
      this.dispatchers.delete(endpoint)
    }
    this.leaving.add(endpointId)
  }

  onAddSubscription(endpointId: number, streamId: number, sessionId: number | undefined): void {
    this.dispatcherOf(endpointId)?.addSubscription(streamId, sessionId)
  }

  onRemoveSubscription(endpointId: number, streamId: number, sessionId: number | undefined): void {
    this.dispatcherOf(endpointId)?.removeSubscription(streamId, sessionId)
  }

  onNewImage(description: ReceivedImageDescription): void {
    const { conductor, resources, systemCounters } = this.options
    const { correlationId, endpointId, sessionId, streamId } = description
    const endpoint = this.findEndpoint(endpointId)
    this.setupsUnderWay--
    try {
      if (endpoint !== undefined) {
        const image = makeReceivedImage(description, endpoint, resources, systemCounters, this, this.nowNs)
        this.images = [...this.images, image]
        this.dispatchers.get(endpoint)?.addImage(image)
        return
      }
    } catch (error) {
      conductor.onError(error)
      this.dispatcherOf(endpointId)?.removeState(sessionId, streamId, "InitInProgress")
    }
    conductor.onImageDraining(correlationId)
    conductor.onImageReleased(correlationId)
  }

  onSubscribers(correlationId: bigint, positions: ReadonlyArray<number>): void {
    this.findImage(correlationId)?.onSubscribers(positions.map((id) => this.options.resources.counter(id)))
  }

  onRejectImage(correlationId: bigint, reason: string): void {
    this.findImage(correlationId)?.feedback.reject(reason)
  }

  onReleaseImage(correlationId: bigint): void {
    const image = this.findImage(correlationId)
    if (image !== undefined) {
      this.release(image)
    }
  }

  onRemoveState(endpointId: number, sessionId: number, streamId: number, state: SessionState): void {
    if (state === "InitInProgress") {
      this.setupsUnderWay--
    }
    this.dispatcherOf(endpointId)?.removeState(sessionId, streamId, state)
  }

  onTerminate(): void {
    this.isTerminated = true
  }

  onDraining(image: ReceivedImage): void {
    this.options.conductor.onImageDraining(image.correlationId)
  }

  /** One entry of the loss report an image. */
  onLoss(image: ReceivedImage, bytesLost: number): void {
    const { clock, lossReport } = this.options
    const nowMs = clock.epochMs()
    const entry = this.lossEntries.get(image)
    if (entry === undefined) {
      const { fields, sessionId, streamId } = image
      const { channel } = fields.description
      const created = lossReport.createEntry(bytesLost, nowMs, sessionId, streamId, channel, fields.source.text)
      this.lossEntries.set(image, created)
    } else if (entry >= 0) {
      lossReport.recordObservation(entry, bytesLost, nowMs)
    }
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
    if (this.setupsUnderWay >= SETUPS_UNDER_WAY_MAX) {
      return false
    }
    return this.dispatchers.get(endpoint)?.onSetup(buffer, offset, source) === true
  }

  /** A request is answered; an answer to a request of ours belongs to its image. */
  onRttMeasurement(endpoint: ReceiveEndpoint, buffer: FrameBuffer, offset: number, source: SocketAddress): void {
    const sessionId = RttMeasurementFrame.sessionId(buffer, offset)
    const streamId = RttMeasurementFrame.streamId(buffer, offset)
    const image = this.dispatchers.get(endpoint)?.findImage(streamId, sessionId)
    // Only the image's own source is answered: whoever else asks makes the driver send to where it likes.
    if (image === undefined || !source.equals(image.fields.source)) {
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

  private findEndpoint(endpointId: number): ReceiveEndpoint | undefined {
    return this.endpoints.find(({ id }) => id === endpointId)
  }

  private dispatcherOf(endpointId: number): DataPacketDispatcher | undefined {
    const endpoint = this.findEndpoint(endpointId)
    return endpoint === undefined ? undefined : this.dispatchers.get(endpoint)
  }

  private findImage(correlationId: bigint): ReceivedImage | undefined {
    return this.images.find((image) => image.correlationId === correlationId)
  }

  /** A stranger chooses what lies in an image: one that cannot be rebuilt ends, and the others go on. */
  private trackRebuild(image: ReceivedImage, nowNs: number): number {
    try {
      return image.trackRebuild(nowNs)
    } catch (error) {
      image.fail("what arrived is no sequence of frames: the image cannot be rebuilt")
      this.options.conductor.onImageFailed(image.correlationId, error)
      return 1
    }
  }

  private release(image: ReceivedImage): number {
    const { conductor, resources } = this.options
    this.images = this.images.filter((other) => other !== image)
    this.lossEntries.delete(image)
    const dispatcher = this.dispatchers.get(image.endpoint)
    if (dispatcher === undefined) {
      image.deactivate()
    } else {
      dispatcher.removeImage(image)
    }
    resources.closeLog(image.log)
    conductor.onImageReleased(image.correlationId)
    return 1
  }

  /** Beyond the limit the session stays unknown: its next datagram finds room, or the one after it. */
  private elicitSetup(setup: PendingSetup, source: SocketAddress): void {
    if (this.pendingSetups.add(setup)) {
      setup.endpoint.elicitSetup(source, setup.sessionId, setup.streamId)
    } else {
      this.forget(setup)
    }
  }

  /** Once a cycle: strangers choose how many there are. */
  private tellEvictions(): void {
    if (this.evictions.size > 0) {
      for (const [endpoint, count] of this.evictions) {
        this.options.conductor.onEvicted(endpoint.id, count)
      }
      this.evictions.clear()
    }
  }

  /** Once a cycle, however many ask. */
  private tellFullStreams(): void {
    if (this.fullStreams.size > 0) {
      for (const [endpoint, streamIds] of this.fullStreams) {
        streamIds.forEach((streamId) => this.options.conductor.onSessionLimit(endpoint.id, streamId))
      }
      this.fullStreams.clear()
    }
  }

  private readonly forget = ({ endpoint, sessionId, streamId }: PendingSetup): void =>
    this.onRemoveState(endpoint.id, sessionId, streamId, "PendingSetup")

  private newDispatcher(endpoint: ReceiveEndpoint): DataPacketDispatcher {
    return new DataPacketDispatcher(
      {
        onUnknownStream: (sessionId, streamId, source) =>
          this.elicitSetup({ endpoint, sessionId, streamId, sinceNs: this.nowNs }, source),
        onSetup: (buffer, offset, source) => {
          this.setupsUnderWay++
          this.options.conductor.onSetup(requestOf(endpoint, buffer, offset, source))
        },
        onEvicted: () => this.evictions.set(endpoint, (this.evictions.get(endpoint) ?? 0) + 1),
        onSessionLimit: (streamId) =>
          this.fullStreams.set(endpoint, (this.fullStreams.get(endpoint) ?? new Set()).add(streamId))
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
  endpointId: endpoint.id,
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
