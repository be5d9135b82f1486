/** What a subscription can be linked to: an IPC publication, or an image. */
import type { PositionCounter } from "./PositionCounter.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"

export interface Subscribable {
  /** Id under which clients know the image. */
  readonly registrationId: bigint
  addSubscriber(link: SubscriptionLink, position: PositionCounter, nowNs: number): void
  removeSubscriber(link: SubscriptionLink, position: PositionCounter): void
}
