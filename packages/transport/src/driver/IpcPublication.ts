/**
 * The driver's side of an IPC publication: subscribers map the publisher's own log, so all there is to do is to tell
 * the publisher how far it may go and to clean behind the slowest subscriber.
 *
 *     Active ──► Draining ──► Linger ──► Done
 *        └── revoked ──────────▲
 *
 * Draining lasts until every subscriber has read to the end; Linger until no client holds the publication.
 */
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as TermCleaner from "@millrace/core/kernel/logbuffer/TermCleaner"
import { IPC_CHANNEL } from "../channel/ChannelUri.ts"
import type { PublicationParameters } from "../channel/PublicationParameters.ts"
import type { RawLog } from "./LogFactory.ts"
import type { ManagedResource } from "./ManagedResource.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import type { LinkedPublication } from "./PublicationLink.ts"
import { PublisherLog } from "./PublisherLog.ts"
import type { Subscribable } from "./Subscribable.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"
import { UntetheredSubscriptions } from "./UntetheredSubscriptions.ts"

/** An IPC channel has no endpoint, so no counter shows its status. */
export const CHANNEL_STATUS_NONE = -1

export type IpcPublicationState = "Active" | "Draining" | "Linger" | "Done"

/** What the conductor does for a publication. */
export interface IpcPublicationListener {
  /** Drained or revoked: its subscribers lose the image. */
  onLinger(publication: IpcPublication): void
  onDone(publication: IpcPublication): void
  onRevoked(publication: IpcPublication): void
  onUnblocked(publication: IpcPublication): void
  /** Its log was overwritten: it ends as one that its publisher revokes. */
  onFailed(error: unknown): void
  onLeftBehind(publication: IpcPublication, link: SubscriptionLink): void
  onRejoin(publication: IpcPublication, link: SubscriptionLink, position: PositionCounter): void
  /** The time after a rejected image is over: subscriptions are linked again. False = not possible now, ask again. */
  onCoolDownEnd(publication: IpcPublication, nowNs: number): boolean
}

export interface IpcPublicationFields {
  readonly registrationId: bigint
  readonly channel: string
  readonly sessionId: number
  readonly streamId: number
  readonly isExclusive: boolean
  readonly parameters: PublicationParameters
  readonly log: LogBuffers
  readonly rawLog: RawLog
  readonly publisherPosition: PositionCounter
  readonly publisherLimit: PositionCounter
  readonly unblockTimeoutNs: number
  readonly imageLivenessTimeoutNs: number
  readonly startTermId: number
  readonly startTermOffset: number
}

export class IpcPublication implements ManagedResource, LinkedPublication, Subscribable {
  readonly registrationId: bigint
  readonly channel: string
  readonly sessionId: number
  readonly streamId: number
  readonly isExclusive: boolean
  readonly parameters: PublicationParameters
  readonly log: LogBuffers
  readonly rawLog: RawLog
  readonly startTermId: number
  readonly startTermOffset: number
  readonly publisherLimit: PositionCounter
  readonly channelStatusId = CHANNEL_STATUS_NONE
  readonly sourceIdentity = IPC_CHANNEL
  state: IpcPublicationState = "Active"
  hasReachedEndOfLife = false

  private readonly publisherPosition: PositionCounter
  private readonly listener: IpcPublicationListener
  private readonly unblockTimeoutNs: number
  private readonly imageLivenessTimeoutNs: number
  private readonly windowLength: number
  private readonly tripGain: number
  private readonly publisherLog: PublisherLog
  private readonly untethered: UntetheredSubscriptions
  private subscriberPositions: Array<PositionCounter> = []
  private references = 0
  private tripLimit = 0
  private consumerPosition: number
  private lastConsumerPosition: number
  private cleanPosition: number
  private timeOfLastConsumerMoveNs: number
  private coolDownEndNs: number | undefined = undefined

  constructor(fields: IpcPublicationFields, listener: IpcPublicationListener, nowNs: number) {
    this.registrationId = fields.registrationId
    this.channel = fields.channel
    this.sessionId = fields.sessionId
    this.streamId = fields.streamId
    this.isExclusive = fields.isExclusive
    this.parameters = fields.parameters
    this.log = fields.log
    this.rawLog = fields.rawLog
    this.startTermId = fields.startTermId
    this.startTermOffset = fields.startTermOffset
    this.publisherPosition = fields.publisherPosition
    this.publisherLimit = fields.publisherLimit
    this.unblockTimeoutNs = fields.unblockTimeoutNs
    this.imageLivenessTimeoutNs = fields.imageLivenessTimeoutNs
    this.windowLength = fields.parameters.publicationWindowLength
    this.tripGain = Math.floor(this.windowLength / 8)
    this.listener = listener
    this.publisherLog = new PublisherLog(fields.log, fields.publisherLimit)
    this.untethered = new UntetheredSubscriptions(
      {
        windowLimitNs: fields.parameters.untetheredWindowLimitTimeoutNs,
        lingerNs: fields.parameters.untetheredLingerTimeoutNs,
        restingNs: fields.parameters.untetheredRestingTimeoutNs
      },
      {
        onLeftBehind: (link) => listener.onLeftBehind(this, link),
        onDetach: (_link, position) => this.removePosition(position),
        onRejoin: (link, position) => {
          // What it has read it does not get again, also where others are further behind.
          position.setRelease(Math.max(position.getVolatile(), this.joinPosition()))
          this.subscriberPositions.push(position)
          listener.onRejoin(this, link, position)
        }
      }
    )
    this.consumerPosition = this.publisherLog.producerPosition()
    this.lastConsumerPosition = this.consumerPosition
    this.cleanPosition = this.consumerPosition
    this.timeOfLastConsumerMoveNs = nowNs
  }

  /** Where a new subscriber begins: at the slowest of those that are there. */
  joinPosition(): number {
    let position = this.consumerPosition
    for (const subscriberPosition of this.subscriberPositions) {
      position = Math.min(position, subscriberPosition.getVolatile())
    }
    return position
  }

  get isAcceptingSubscriptions(): boolean {
    if (this.coolDownEndNs !== undefined) {
      return false
    }
    return (
      this.state === "Active" || (this.state === "Draining" && !this.isDrained(this.publisherLog.producerPosition()))
    )
  }

  /** The duty of each tick. Returns 1 when the limit moved. */
  updatePublisherLimit(): number {
    if (this.state !== "Active") {
      return 0
    }
    this.publisherPosition.setRelease(this.publisherLog.producerPosition())
    const positions = this.subscriberPositions
    if (positions.length === 0) {
      return this.holdBack()
    }
    let slowest = Infinity
    let fastest = this.consumerPosition
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i]!.getVolatile()
      slowest = Math.min(slowest, position)
      fastest = Math.max(fastest, position)
    }
    this.consumerPosition = fastest
    const limit = slowest + this.windowLength
    if (limit < this.tripLimit) {
      return 0
    }
    this.cleanPosition = TermCleaner.clean(this.log, this.cleanPosition, slowest)
    this.publisherLimit.setRelease(limit)
    this.tripLimit = limit + this.tripGain
    return 1
  }

  /** Without a subscriber nothing may be published beyond what was consumed. */
  private holdBack(): number {
    if (this.publisherLimit.getVolatile() <= this.consumerPosition) {
      return 0
    }
    this.tripLimit = this.consumerPosition
    this.publisherLimit.setRelease(this.consumerPosition)
    this.cleanPosition = TermCleaner.clean(this.log, this.cleanPosition, this.consumerPosition)
    return 1
  }

  onTimeEvent(nowNs: number): void {
    switch (this.state) {
      case "Active":
      case "Draining":
        if (this.publisherLog.isRevoked) {
          this.publisherLog.end()
          this.publisherLog.setConnected(false)
          this.linger()
          this.listener.onRevoked(this)
        } else if (this.state === "Active") {
          this.onActive(nowNs)
        } else {
          this.onDraining()
        }
        break
      case "Linger":
        if (this.references === 0) {
          this.state = "Done"
          this.hasReachedEndOfLife = true
          this.listener.onDone(this)
        }
        break
      case "Done":
        break
    }
  }

  addSubscriber(link: SubscriptionLink, position: PositionCounter, nowNs: number): void {
    this.subscriberPositions.push(position)
    this.untethered.add(link, position, nowNs)
    this.publisherLog.setConnected(true)
  }

  removeSubscriber(link: SubscriptionLink, position: PositionCounter): void {
    // It may have read on since the last tick, and a publisher looks at the limit to see whether all was read.
    if (this.subscriberPositions.includes(position)) {
      this.consumerPosition = Math.max(this.consumerPosition, position.getVolatile())
    }
    this.removePosition(position)
    this.untethered.remove(link)
    position.close()
    if (this.subscriberPositions.length === 0) {
      this.publisherLog.setConnected(false)
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

  /** A subscriber refused the stream: all lose it, and none gets it back before the image liveness time is over. */
  reject(nowNs: number): void {
    if (this.coolDownEndNs === undefined) {
      this.publisherLog.setConnected(false)
      for (const position of this.subscriberPositions) {
        // They may have read on since the last tick, and are not to get that again when they are back.
        this.consumerPosition = Math.max(this.consumerPosition, position.getVolatile())
        position.close()
      }
      this.subscriberPositions = []
      this.untethered.close()
    }
    this.coolDownEndNs = nowNs + this.imageLivenessTimeoutNs
  }

  close(): void {
    this.publisherPosition.close()
    this.publisherLimit.close()
    for (const position of this.subscriberPositions) {
      position.close()
    }
    this.untethered.close()
  }

  private onActive(nowNs: number): void {
    this.untethered.check(this.consumerPosition - this.windowLength + Math.floor(this.windowLength / 4), nowNs)
    this.publisherLog.setConnected(this.subscriberPositions.length > 0)
    const producerPosition = this.publisherLog.producerPosition()
    this.publisherPosition.setRelease(producerPosition)
    if (!this.isExclusive) {
      this.checkForBlockedPublisher(producerPosition, nowNs)
    }
    if (this.coolDownEndNs !== undefined && this.coolDownEndNs < nowNs) {
      const { coolDownEndNs } = this
      this.coolDownEndNs = undefined
      if (!this.listener.onCoolDownEnd(this, nowNs)) {
        this.coolDownEndNs = coolDownEndNs
      }
    }
  }

  private onDraining(): void {
    const producerPosition = this.publisherLog.producerPosition()
    this.publisherPosition.setRelease(producerPosition)
    if (this.isDrained(producerPosition)) {
      this.linger()
    } else {
      this.unblock(false)
    }
  }

  private linger(): void {
    this.state = "Linger"
    this.listener.onLinger(this)
  }

  /** A publisher that died between its claim and its publication holds up everyone behind it. */
  private checkForBlockedPublisher(producerPosition: number, nowNs: number): void {
    if (
      this.consumerPosition !== this.lastConsumerPosition ||
      !this.publisherLog.mayBlock(this.consumerPosition, producerPosition)
    ) {
      this.timeOfLastConsumerMoveNs = nowNs
      this.lastConsumerPosition = this.consumerPosition
    } else if (nowNs - this.timeOfLastConsumerMoveNs > this.unblockTimeoutNs) {
      this.unblock(true)
    }
  }

  private unblock(hasPublishers: boolean): void {
    try {
      if (this.publisherLog.unblock(this.consumerPosition, hasPublishers)) {
        this.listener.onUnblocked(this)
      }
    } catch (error) {
      this.revoke()
      this.listener.onFailed(error)
    }
  }

  private isDrained(producerPosition: number): boolean {
    return this.subscriberPositions.every(
      (position) => position.getVolatile() >= producerPosition || this.untethered.isLeftBehind(position)
    )
  }

  private removePosition(position: PositionCounter): void {
    this.subscriberPositions = this.subscriberPositions.filter((other) => other !== position)
  }
}
