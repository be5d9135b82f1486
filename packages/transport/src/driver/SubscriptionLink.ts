/**
 * A client's subscription as the conductor holds it: what it accepts, and the position counter it has in each stream
 * it is linked to. Subclasses say which streams match: IPC publications here, images of the network in the file of its
 * subscriptions.
 */
import type { SubscriptionParameters } from "../channel/SubscriptionParameters.ts"
import type { ClientLiveness } from "./ClientLiveness.ts"
import type { ManagedResource } from "./ManagedResource.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import type { Subscribable } from "./Subscribable.ts"

export interface SubscriptionLinkFields {
  readonly registrationId: bigint
  readonly streamId: number
  readonly channel: string
  readonly client: ClientLiveness
  readonly parameters: SubscriptionParameters
}

export abstract class SubscriptionLink implements ManagedResource {
  readonly registrationId: bigint
  readonly streamId: number
  readonly channel: string
  readonly client: ClientLiveness
  readonly parameters: SubscriptionParameters
  /** The one session that the channel names; undefined = all. */
  readonly sessionId: number | undefined
  private readonly positions = new Map<Subscribable, PositionCounter>()

  constructor(fields: SubscriptionLinkFields) {
    this.registrationId = fields.registrationId
    this.streamId = fields.streamId
    this.channel = fields.channel
    this.client = fields.client
    this.parameters = fields.parameters
    this.sessionId = fields.parameters.sessionId
  }

  /** Whether the link wants a stream of this session. A response subscription that names none wants none. */
  protected acceptsSession(sessionId: number): boolean {
    return this.sessionId === undefined ? !this.parameters.isResponse : this.sessionId === sessionId
  }

  isLinked(stream: Subscribable): boolean {
    return this.positions.has(stream)
  }

  link(stream: Subscribable, position: PositionCounter): void {
    this.positions.set(stream, position)
  }

  unlink(stream: Subscribable): void {
    this.positions.delete(stream)
  }

  get hasReachedEndOfLife(): boolean {
    return this.client.hasReachedEndOfLife
  }

  onTimeEvent(): void {}

  close(): void {
    for (const [stream, position] of this.positions) {
      stream.removeSubscriber(this, position)
    }
    this.positions.clear()
  }
}

export class IpcSubscriptionLink extends SubscriptionLink {
  matches(publication: { readonly streamId: number; readonly sessionId: number }): boolean {
    return this.streamId === publication.streamId && this.acceptsSession(publication.sessionId)
  }
}
