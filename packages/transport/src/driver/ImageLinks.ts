/**
 * What links a subscription to an image that it reads, be it rebuilt from the network or an IPC publication's own log:
 * a position counter, and what the client is told.
 *
 * Counters can run out, and whoever may add counters can make them run out. So the counters of all links that belong
 * together are allocated first; only then is anything registered, or anybody told.
 */
import type { DriverContext } from "./DriverContext.ts"
import type { RawLog } from "./LogFactory.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import * as StreamCounters from "./StreamCounters.ts"
import type { Subscribable } from "./Subscribable.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"

export interface LinkedImage extends Subscribable {
  readonly sessionId: number
  readonly streamId: number
  readonly rawLog: RawLog
  readonly sourceIdentity: string
  joinPosition(): number
}

export interface ImageLink {
  readonly image: LinkedImage
  readonly link: SubscriptionLink
}

/** A link that has its counter. */
export interface AllocatedLink extends ImageLink {
  readonly position: PositionCounter
}

export class ImageLinks {
  private readonly context: DriverContext
  /** Of all subscriptions. */
  private readonly links: ReadonlyArray<SubscriptionLink>

  constructor(context: DriverContext, links: ReadonlyArray<SubscriptionLink>) {
    this.context = context
    this.links = links
  }

  /** The subscriptions that have the image. */
  linkedTo(image: LinkedImage): ReadonlyArray<SubscriptionLink> {
    return this.links.filter((link) => link.isLinked(image))
  }

  /** The image ends for all who have it. */
  notifyEnd(image: LinkedImage): void {
    for (const link of this.linkedTo(image)) {
      this.notifyUnavailable(image, link)
    }
  }

  unlinkAll(image: LinkedImage): void {
    for (const link of this.links) {
      link.unlink(image)
    }
  }

  /** The counters of all links, or of none: throws when they run out. */
  allocate(links: ReadonlyArray<ImageLink>): ReadonlyArray<AllocatedLink> {
    const positions = StreamCounters.allocateAll(
      ...links.map(
        ({ image, link }) =>
          () =>
            StreamCounters.subscriberPosition(
              this.context.counters,
              {
                clientId: link.client.clientId,
                registrationId: link.registrationId,
                sessionId: image.sessionId,
                streamId: link.streamId,
                channel: link.channel
              },
              image.joinPosition(),
              image.registrationId
            )
      )
    )
    return links.map((link, index) => ({ ...link, position: positions[index]! }))
  }

  complete(links: ReadonlyArray<AllocatedLink>, nowNs: number): void {
    for (const { image, link, position } of links) {
      link.link(image, position)
      image.addSubscriber(link, position, nowNs)
      this.notifyAvailable(image, link, position)
    }
  }

  notifyAvailable(image: LinkedImage, link: SubscriptionLink, position: PositionCounter): void {
    this.context.clientProxy.onAvailableImage({
      correlationId: image.registrationId,
      sessionId: image.sessionId,
      streamId: image.streamId,
      subscriptionRegistrationId: link.registrationId,
      subscriberPositionId: position.id,
      logFile: image.rawLog.fileName,
      sourceIdentity: image.sourceIdentity
    })
  }

  notifyUnavailable(image: LinkedImage, link: SubscriptionLink): void {
    this.context.clientProxy.onUnavailableImage({
      correlationId: image.registrationId,
      subscriptionRegistrationId: link.registrationId,
      streamId: link.streamId,
      channel: link.channel
    })
  }
}
