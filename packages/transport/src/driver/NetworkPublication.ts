/**
 * The conductor's half of a network publication: how far its publisher may go, and how it ends. The sender's half is
 * `SentPublication`; the two share the log and the counters.
 *
 *     Active ──► Draining ──► Linger ──► Done
 *        └── revoked ──────────▲
 *
 * Draining lasts until everything is sent, or nobody listens any more; Linger keeps the log for retransmits until its
 * time is over or the one receiver said that it has everything.
 */
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as TermCleaner from "@millrace/core/kernel/logbuffer/TermCleaner"
import type { PublicationParameters } from "../channel/PublicationParameters.ts"
import type { FlowControlChoice } from "../flow/FlowControlSelection.ts"
import type { SendChannelEndpoint } from "./ChannelEndpoint.ts"
import type { ReceiversStatus } from "./ConductorCommands.ts"
import type { RawLog } from "./LogFactory.ts"
import type { ManagedResource } from "./ManagedResource.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import type { LinkedPublication } from "./PublicationLink.ts"
import { PublisherLog } from "./PublisherLog.ts"

export type NetworkPublicationState = "Active" | "Draining" | "Linger" | "Done"

/** What the conductor does for a publication. */
export interface NetworkPublicationListener {
  onDone(publication: NetworkPublication): void
  onRevoked(publication: NetworkPublication): void
  onUnblocked(publication: NetworkPublication): void
  /** Its log was overwritten: it ends as one that its publisher revokes. */
  onFailed(publication: NetworkPublication, error: unknown): void
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
  readonly endpoint: SendChannelEndpoint
  readonly publisherPosition: PositionCounter
  readonly publisherLimit: PositionCounter
  readonly senderPosition: PositionCounter
  readonly senderLimit: PositionCounter
  readonly senderBackPressure: PositionCounter
  readonly senderNaksReceived: PositionCounter
  readonly flowControl: FlowControlChoice
  /** Shows how many receivers the flow control waits for, if it does. */
  readonly receiverCount: PositionCounter | undefined
  readonly unblockTimeoutNs: number
  readonly startTermId: number
  readonly startTermOffset: number
}

export class NetworkPublication implements ManagedResource, LinkedPublication {
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
  readonly endpoint: SendChannelEndpoint
  readonly publisherLimit: PositionCounter
  state: NetworkPublicationState = "Active"

  private readonly listener: NetworkPublicationListener
  private readonly publisherLog: PublisherLog
  private readonly windowLength: number
  private references = 0
  /** As the sender told last. */
  private receivers: ReceiversStatus = { hasReceivers: false, isConnected: false, hasReceivedEos: false }
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
    this.listener = listener
    this.windowLength = fields.parameters.publicationWindowLength
    this.publisherLog = new PublisherLog(fields.log, fields.publisherLimit)
    const position = this.publisherLog.producerPosition()
    this.cleanPosition = position
    this.lastSenderPosition = position
    this.timeOfLastActivityNs = nowNs
  }

  get channelStatusId(): number {
    return this.endpoint.status.counterId
  }

  get hasReachedEndOfLife(): boolean {
    return this.hasSenderReleased
  }

  /** The conductor's duty of each tick. Returns 1 when there was something to move. */
  updatePublisherLimit(): number {
    if (this.state !== "Active") {
      return 0
    }
    const senderPosition = this.fields.senderPosition.getVolatile()
    this.fields.publisherPosition.setRelease(this.publisherLog.producerPosition())
    if (!this.receivers.isConnected) {
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

  /** The sender has heard of its receivers. */
  onReceivers(receivers: ReceiversStatus): void {
    this.receivers = receivers
    if (this.state === "Active") {
      this.publisherLog.setConnected(receivers.isConnected)
    }
  }

  onTimeEvent(nowNs: number): void {
    switch (this.state) {
      case "Active":
      case "Draining":
        if (this.publisherLog.isRevoked) {
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
          (this.receivers.hasReceivedEos || nowNs - this.timeOfLastActivityNs > this.parameters.lingerTimeoutNs)
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
      this.publisherLog.end()
      if (!this.publisherLog.isRevoked) {
        this.state = "Draining"
      }
    }
  }

  revoke(): void {
    this.publisherLog.revoke()
  }

  /** Its log was overwritten, so it ends: its receivers are told as of one that its publisher revokes. */
  fail(error: unknown): void {
    this.revoke()
    this.listener.onFailed(this, error)
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
    this.fields.receiverCount?.close()
  }

  private holdBack(senderPosition: number): number {
    if (this.publisherLimit.getVolatile() <= senderPosition) {
      return 0
    }
    this.publisherLog.setConnected(false)
    this.publisherLimit.setRelease(senderPosition)
    this.cleanPosition = TermCleaner.clean(this.log, this.cleanPosition, senderPosition - this.termLength)
    return 1
  }

  private onRevoked(nowNs: number): void {
    this.publisherLog.end()
    this.publisherLog.setConnected(false)
    this.state = "Linger"
    this.timeOfLastActivityNs = nowNs
    this.listener.onRevoked(this)
  }

  private onActive(nowNs: number): void {
    this.publisherLog.setConnected(this.receivers.isConnected)
    const position = this.publisherLog.producerPosition()
    this.fields.publisherPosition.setRelease(position)
    if (!this.isExclusive) {
      this.checkForBlockedPublisher(position, nowNs)
    }
  }

  private onDraining(nowNs: number): void {
    const position = this.publisherLog.producerPosition()
    this.fields.publisherPosition.setRelease(position)
    const senderPosition = this.fields.senderPosition.getVolatile()
    if (position > senderPosition) {
      if (this.unblock(senderPosition, false)) {
        return
      }
      if (this.receivers.hasReceivers) {
        return
      }
    }
    this.timeOfLastActivityNs = nowNs
    this.state = "Linger"
  }

  private checkForBlockedPublisher(producerPosition: number, nowNs: number): void {
    const senderPosition = this.fields.senderPosition.getVolatile()
    if (senderPosition !== this.lastSenderPosition || !this.publisherLog.mayBlock(senderPosition, producerPosition)) {
      this.timeOfLastActivityNs = nowNs
      this.lastSenderPosition = senderPosition
    } else if (nowNs - this.timeOfLastActivityNs > this.fields.unblockTimeoutNs) {
      this.unblock(senderPosition, true)
    }
  }

  /** True when the sender can go on. */
  private unblock(senderPosition: number, hasPublishers: boolean): boolean {
    try {
      const isUnblocked = this.publisherLog.unblock(senderPosition, hasPublishers)
      if (isUnblocked) {
        this.listener.onUnblocked(this)
      }
      return isUnblocked
    } catch (error) {
      this.fail(error)
      return false
    }
  }
}
