/** The sender: the agent that gives each network publication its turn and takes in what receivers send back. */
import { DutyCycleTracker } from "@millrace/core/kernel/agent/DutyCycleTracker"
import { type Agent, AgentTermination } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { SocketAddress } from "../channel/SocketAddress.ts"
import type { FlowControl } from "../flow/FlowControl.ts"
import * as FlowControlSelection from "../flow/FlowControlSelection.ts"
import { SendEndpoint } from "../media/SendEndpoint.ts"
import { TimestampSource } from "../media/Timestamps.ts"
import type { Address } from "../media/UdpPort.ts"
import type { AgentResources } from "./AgentResources.ts"
import type { ConductorCommands } from "./ConductorCommands.ts"
import { LeavingEndpoints } from "./LeavingEndpoints.ts"
import type { SendEndpointDescription, SenderCommands, SentPublicationDescription } from "./SenderCommands.ts"
import { SentPublication } from "./SentPublication.ts"
import {
  BYTES_SENT,
  SENDER_CYCLE_TIME_THRESHOLD_EXCEEDED,
  SENDER_MAX_CYCLE_TIME,
  type SystemCounters
} from "./SystemCounters.ts"

export interface SenderOptions {
  readonly clock: Clock
  readonly systemCounters: SystemCounters
  readonly cycleThresholdNs: number
  /** Cycles that send before one that listens, however much there is to send. */
  readonly sendsPerPoll: number
  readonly resolutionCheckIntervalNs: number
  readonly resources: AgentResources
  readonly conductor: ConductorCommands
}

/** After this time without a word from a receiver the endpoint's name is resolved anew. */
const SILENCE_NS = 5e9

export class Sender implements Agent, SenderCommands {
  readonly roleName = "sender"
  private readonly options: SenderOptions
  private readonly dutyCycle: DutyCycleTracker
  private readonly leaving: LeavingEndpoints
  private readonly timestamps: TimestampSource
  private publications: ReadonlyArray<SentPublication> = []
  private endpoints: ReadonlyArray<SendEndpoint> = []
  private socketDescriptors: ReadonlyArray<number> = []
  private firstIndex = 0
  private sendsSincePoll = 0
  private resolutionDeadlineNs = 0
  private nowNs = 0
  private isTerminated = false

  constructor(options: SenderOptions) {
    const { systemCounters } = options
    this.options = options
    this.timestamps = new TimestampSource(options.clock)
    this.leaving = new LeavingEndpoints((endpointId) => options.conductor.onEndpointReleased(endpointId))
    this.dutyCycle = new DutyCycleTracker(options.cycleThresholdNs, {
      proposeMax: (ns) => systemCounters.get(SENDER_MAX_CYCLE_TIME).proposeMaxRelease(ns),
      thresholdExceeded: () => systemCounters.increment(SENDER_CYCLE_TIME_THRESHOLD_EXCEEDED)
    })
  }

  onStart(nowNs: number): void {
    this.nowNs = nowNs
    this.dutyCycle.update(nowNs)
    this.resolutionDeadlineNs = nowNs + this.options.resolutionCheckIntervalNs
  }

  doWork(nowNs: number): number {
    this.nowNs = nowNs
    this.dutyCycle.measureAndUpdate(nowNs)
    if (this.isTerminated) {
      throw new AgentTermination()
    }
    const released = this.leaving.doWork()
    const bytesSent = this.send(nowNs)
    let workCount = released + bytesSent
    if (bytesSent === 0 || ++this.sendsSincePoll >= this.options.sendsPerPoll) {
      this.sendsSincePoll = 0
      for (const endpoint of this.endpoints) {
        workCount += endpoint.poll(nowNs)
      }
    }
    this.checkResolutions(nowNs)
    return workCount
  }

  descriptors(): ReadonlyArray<number> {
    return this.socketDescriptors
  }

  onRegisterEndpoint({ id, remote, socket, timestampOffset }: SendEndpointDescription): void {
    const { resources, systemCounters } = this.options
    const address = new SocketAddress(remote.address, remote.port)
    const fields = { id, socket: resources.openSocket(id, socket), timestamps: this.timestamps.at(timestampOffset) }
    const endpoint = new SendEndpoint({ ...fields, systemCounters }, address, this.nowNs)
    this.setEndpoints([...this.endpoints, endpoint])
  }

  onCloseEndpoint(endpointId: number): void {
    this.setEndpoints(this.endpoints.filter(({ id }) => id !== endpointId))
    this.leaving.add(endpointId)
  }

  onResolutionChange(endpointId: number, remote: Address): void {
    const endpoint = this.findEndpoint(endpointId)
    if (endpoint !== undefined) {
      endpoint.remote = new SocketAddress(remote.address, remote.port)
    }
  }

  onNewPublication(description: SentPublicationDescription): void {
    const { conductor, resources, systemCounters } = this.options
    const endpoint = this.findEndpoint(description.endpointId)
    if (endpoint === undefined) {
      return
    }
    let log: LogBuffers
    try {
      log = resources.openLog(description.logFile)
    } catch (error) {
      conductor.onPublicationFailed(description.registrationId, error)
      return
    }
    const publication = new SentPublication(
      {
        description,
        log,
        endpoint,
        flowControl: this.flowControlOf(description),
        senderPosition: resources.counter(description.senderPosition),
        senderLimit: resources.counter(description.senderLimit),
        senderBackPressure: resources.counter(description.senderBackPressure),
        senderNaksReceived: resources.counter(description.senderNaksReceived),
        systemCounters
      },
      conductor,
      this.nowNs
    )
    this.publications = [...this.publications, publication]
    endpoint.register(publication)
  }

  onRemovePublication(registrationId: bigint): void {
    const publication = this.find(registrationId)
    if (publication !== undefined) {
      this.publications = this.publications.filter((other) => other !== publication)
      publication.endpoint.unregister(publication)
      this.options.resources.closeLog(publication.log)
    }
    this.options.conductor.onPublicationReleased(registrationId)
  }

  onPublicationFailure(registrationId: bigint): void {
    this.find(registrationId)?.fail()
  }

  onTerminate(): void {
    this.isTerminated = true
  }

  onClose(): void {
    for (const { log } of this.publications) {
      this.options.resources.closeLog(log)
    }
    this.publications = []
    this.setEndpoints([])
  }

  private flowControlOf({ flowControl, receiverCount }: SentPublicationDescription): FlowControl {
    const counter = receiverCount === undefined ? undefined : this.options.resources.counter(receiverCount)
    return FlowControlSelection.make(flowControl, {
      onCount: (count) => counter?.setRelease(count),
      // The conductor frees the counter.
      onClose: () => {}
    })
  }

  private find(registrationId: bigint): SentPublication | undefined {
    return this.publications.find((publication) => publication.registrationId === registrationId)
  }

  private findEndpoint(endpointId: number): SendEndpoint | undefined {
    return this.endpoints.find(({ id }) => id === endpointId)
  }

  private setEndpoints(endpoints: ReadonlyArray<SendEndpoint>): void {
    this.endpoints = endpoints
    this.socketDescriptors = endpoints.flatMap(({ socket }) =>
      socket.descriptor === undefined ? [] : [socket.descriptor]
    )
  }

  /** Each tick begins with another publication, so that none is always last. */
  private send(nowNs: number): number {
    const { publications } = this
    const count = publications.length
    if (count === 0) {
      return 0
    }
    this.firstIndex = (this.firstIndex + 1) % count
    let bytesSent = 0
    for (let i = 0; i < count; i++) {
      bytesSent += this.sendOne(publications[(this.firstIndex + i) % count]!, nowNs)
    }
    if (bytesSent > 0) {
      this.options.systemCounters.get(BYTES_SENT).addRelease(bytesSent)
    }
    return bytesSent
  }

  /** A log is memory that publishers write: one who breaks it loses the stream, and the others get their turn. */
  private sendOne(publication: SentPublication, nowNs: number): number {
    try {
      return publication.send(nowNs)
    } catch (error) {
      publication.fail()
      this.options.conductor.onPublicationFailed(publication.registrationId, error)
      return 0
    }
  }

  private checkResolutions(nowNs: number): void {
    if (nowNs < this.resolutionDeadlineNs) {
      return
    }
    this.resolutionDeadlineNs = nowNs + this.options.resolutionCheckIntervalNs
    for (const endpoint of this.endpoints) {
      if (nowNs - endpoint.timeOfLastResolutionNs > SILENCE_NS && endpoint.isSilent(nowNs, SILENCE_NS)) {
        endpoint.timeOfLastResolutionNs = nowNs
        this.options.conductor.onSilent(endpoint.id)
      }
    }
  }
}
