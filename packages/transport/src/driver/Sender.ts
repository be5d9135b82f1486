/** The sender: the agent that gives each network publication its turn and takes in what receivers send back. */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import { DutyCycleTracker } from "@millrace/core/kernel/agent/DutyCycleTracker"
import type { SendEndpoint } from "../media/SendEndpoint.ts"
import type { NetworkPublication } from "./NetworkPublication.ts"
import {
  BYTES_SENT,
  SENDER_CYCLE_TIME_THRESHOLD_EXCEEDED,
  SENDER_MAX_CYCLE_TIME,
  type SystemCounters
} from "./SystemCounters.ts"

/** Ticks that send before one that listens, however much there is to send. */
const SENDS_PER_POLL = 6

export interface SenderOptions {
  readonly systemCounters: SystemCounters
  readonly cycleThresholdNs: number
  readonly resolutionCheckIntervalNs: number
  /** An endpoint whose receivers are silent: its name may have moved. */
  readonly onSilent: (endpoint: SendEndpoint) => void
}

/** After this time without a word from a receiver the endpoint's name is resolved anew. */
const SILENCE_NS = 5e9

export class Sender implements Agent {
  readonly roleName = "sender"
  private readonly options: SenderOptions
  private readonly dutyCycle: DutyCycleTracker
  private publications: ReadonlyArray<NetworkPublication> = []
  private endpoints: ReadonlyArray<SendEndpoint> = []
  private socketDescriptors: ReadonlyArray<number> = []
  private firstIndex = 0
  private sendsSincePoll = 0
  private resolutionDeadlineNs = 0

  constructor(options: SenderOptions) {
    const { systemCounters } = options
    this.options = options
    this.dutyCycle = new DutyCycleTracker(options.cycleThresholdNs, {
      proposeMax: (ns) => systemCounters.get(SENDER_MAX_CYCLE_TIME).proposeMaxRelease(ns),
      thresholdExceeded: () => systemCounters.increment(SENDER_CYCLE_TIME_THRESHOLD_EXCEEDED)
    })
  }

  onStart(nowNs: number): void {
    this.dutyCycle.update(nowNs)
    this.resolutionDeadlineNs = nowNs + this.options.resolutionCheckIntervalNs
  }

  doWork(nowNs: number): number {
    this.dutyCycle.measureAndUpdate(nowNs)
    const bytesSent = this.send(nowNs)
    let workCount = bytesSent
    if (bytesSent === 0 || ++this.sendsSincePoll >= SENDS_PER_POLL) {
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

  onRegisterEndpoint(endpoint: SendEndpoint): void {
    this.setEndpoints([...this.endpoints, endpoint])
  }

  onCloseEndpoint(endpoint: SendEndpoint): void {
    this.setEndpoints(this.endpoints.filter((other) => other !== endpoint))
  }

  onNewPublication(publication: NetworkPublication): void {
    this.publications = [...this.publications, publication]
    publication.endpoint.register(publication)
  }

  onRemovePublication(publication: NetworkPublication): void {
    this.publications = this.publications.filter((other) => other !== publication)
    publication.endpoint.unregister(publication)
    publication.onSenderReleased()
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
  private sendOne(publication: NetworkPublication, nowNs: number): number {
    try {
      return publication.send(nowNs)
    } catch (error) {
      publication.fail(error)
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
        this.options.onSilent(endpoint)
      }
    }
  }
}
