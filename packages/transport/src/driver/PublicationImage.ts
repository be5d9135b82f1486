/**
 * The conductor's half of a received stream: its subscribers, and how it ends. The receiver's half is `ReceivedImage`;
 * the two share the log and the counters.
 *
 *     Active ──► Draining ──► Linger ──► Done
 *
 * Draining begins at the end of the stream, or when the source is silent or unwanted, and lasts until subscribers have
 * read what is whole; Linger keeps the log until no subscriber holds it any more.
 */
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { ReceiveChannelEndpoint } from "./ChannelEndpoint.ts"
import type { RawLog } from "./LogFactory.ts"
import type { ManagedResource } from "./ManagedResource.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import type { Subscribable } from "./Subscribable.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"
import { UntetheredSubscriptions, type UntetheredTimeouts } from "./UntetheredSubscriptions.ts"

export type ImageState = "Active" | "Draining" | "Linger" | "Done"

/** What the conductor does for an image. */
export interface PublicationImageListener {
  /** Its subscribers lose it; the receiver lets go of it. */
  onLinger(image: PublicationImage): void
  onDone(image: PublicationImage): void
  onLeftBehind(image: PublicationImage, link: SubscriptionLink): void
  onRejoin(image: PublicationImage, link: SubscriptionLink, position: PositionCounter): void
  /** Others set its pace now. */
  onSubscribersChanged(image: PublicationImage): void
}

export interface PublicationImageFields {
  readonly correlationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly log: LogBuffers
  readonly rawLog: RawLog
  readonly endpoint: ReceiveChannelEndpoint
  /** Where the data comes from. */
  readonly sourceIdentity: string
  /** How far a sender may be ahead. */
  readonly windowLength: number
  readonly hwmPosition: PositionCounter
  readonly rebuildPosition: PositionCounter
  readonly naksSent: PositionCounter
  /** Where the congestion control shows itself. */
  readonly congestionCounters: ReadonlyArray<PositionCounter>
  readonly livenessTimeoutNs: number
  readonly statusMessageTimeoutNs: number
  readonly untethered: UntetheredTimeouts
}

/** Status messages with the end-of-stream flag that a drained image sends before it lingers. */
const END_OF_STREAM_STATUS_MESSAGES = 5

export class PublicationImage implements ManagedResource, Subscribable {
  /** The correlation id, by which clients know the image. */
  readonly registrationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly endpoint: ReceiveChannelEndpoint
  readonly rawLog: RawLog
  readonly sourceIdentity: string
  state: ImageState = "Active"

  private readonly fields: PublicationImageFields
  private readonly log: LogBuffers
  private readonly listener: PublicationImageListener
  private readonly untethered: UntetheredSubscriptions
  private subscriberPositions: Array<PositionCounter> = []
  private hasFailed = false
  private hasReceiverReleased = false
  private timeOfLastStateChangeNs: number

  constructor(fields: PublicationImageFields, listener: PublicationImageListener, nowNs: number) {
    this.fields = fields
    this.registrationId = fields.correlationId
    this.sessionId = fields.sessionId
    this.streamId = fields.streamId
    this.endpoint = fields.endpoint
    this.log = fields.log
    this.rawLog = fields.rawLog
    this.sourceIdentity = fields.sourceIdentity
    this.listener = listener
    this.untethered = new UntetheredSubscriptions(fields.untethered, {
      onLeftBehind: (link) => listener.onLeftBehind(this, link),
      onDetach: (_link, position) => this.removePosition(position),
      onRejoin: (link, position) => {
        // What it has read it does not get again, also where others are further behind.
        position.setRelease(Math.max(position.getVolatile(), this.joinPosition()))
        this.subscriberPositions.push(position)
        listener.onSubscribersChanged(this)
        listener.onRejoin(this, link, position)
      }
    })
    this.timeOfLastStateChangeNs = nowNs
  }

  get hasReachedEndOfLife(): boolean {
    return this.hasReceiverReleased && this.state === "Done"
  }

  /** Counters of those who set the pace. */
  get subscriberCounters(): ReadonlyArray<number> {
    return this.subscriberPositions.map(({ id }) => id)
  }

  /** The receiver takes in no data any more. */
  onDraining(nowNs: number): void {
    if (this.state === "Active") {
      this.become("Draining", nowNs)
    }
  }

  /** What arrived is no sequence of frames. */
  onFailed(): void {
    this.hasFailed = true
  }

  /** The receiver does not touch it any more. */
  onReceiverReleased(): void {
    this.hasReceiverReleased = true
  }

  get isAcceptingSubscriptions(): boolean {
    // One that nobody has any more goes; who rests has it still.
    const isKept = this.subscriberPositions.length > 0 || this.untethered.hasResting
    if (!isKept || this.hasFailed) {
      return false
    }
    return this.state === "Active" || (this.state === "Draining" && !this.isDrained())
  }

  joinPosition(): number {
    let position = this.fields.rebuildPosition.getVolatile()
    for (const subscriberPosition of this.subscriberPositions) {
      position = Math.min(position, subscriberPosition.getVolatile())
    }
    return position
  }

  addSubscriber(link: SubscriptionLink, position: PositionCounter, nowNs: number): void {
    this.subscriberPositions.push(position)
    this.untethered.add(link, position, nowNs)
    this.listener.onSubscribersChanged(this)
  }

  removeSubscriber(link: SubscriptionLink, position: PositionCounter): void {
    this.removePosition(position)
    this.untethered.remove(link)
    position.close()
  }

  onTimeEvent(nowNs: number): void {
    switch (this.state) {
      case "Active":
        this.checkUntethered(nowNs)
        break
      case "Draining":
        // Behind the place where the log is broken nobody reads on, so there is nothing to wait for.
        if (this.isRevoked() || this.hasFailed || (this.isDrained() && this.hasSaidEndOfStream(nowNs))) {
          this.become("Linger", nowNs)
          this.listener.onLinger(this)
        }
        break
      case "Linger":
        if (
          this.subscriberPositions.length === 0 ||
          nowNs - this.timeOfLastStateChangeNs > this.fields.livenessTimeoutNs
        ) {
          this.become("Done", nowNs)
          this.listener.onDone(this)
        }
        break
      case "Done":
        break
    }
  }

  close(): void {
    const { congestionCounters, hwmPosition, naksSent, rebuildPosition } = this.fields
    for (const counter of [
      hwmPosition,
      rebuildPosition,
      naksSent,
      ...congestionCounters,
      ...this.subscriberPositions
    ]) {
      counter.close()
    }
    this.untethered.close()
  }

  private isRevoked(): boolean {
    return LogBufferMetadata.isPublicationRevoked(this.log.metadata)
  }

  private hasSaidEndOfStream(nowNs: number): boolean {
    const { statusMessageTimeoutNs } = this.fields
    return nowNs - this.timeOfLastStateChangeNs > END_OF_STREAM_STATUS_MESSAGES * statusMessageTimeoutNs
  }

  private checkUntethered(nowNs: number): void {
    const { windowLength } = this.fields
    const fastest = this.subscriberPositions.reduce((max, position) => Math.max(max, position.getVolatile()), 0)
    this.untethered.check(fastest - windowLength + Math.floor(windowLength / 4), nowNs)
  }

  private isDrained(): boolean {
    const rebuilt = this.fields.rebuildPosition.getVolatile()
    return this.subscriberPositions.every(
      (position) => position.getVolatile() >= rebuilt || this.untethered.isLeftBehind(position)
    )
  }

  private removePosition(position: PositionCounter): void {
    this.subscriberPositions = this.subscriberPositions.filter((other) => other !== position)
    this.listener.onSubscribersChanged(this)
  }

  private become(state: ImageState, nowNs: number): void {
    this.state = state
    this.timeOfLastStateChangeNs = nowNs
  }
}
