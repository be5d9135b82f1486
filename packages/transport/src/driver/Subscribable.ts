/** What a subscription can be linked to: an IPC publication, an image, or (by a spy) a network publication. */
import type { PositionCounter } from "./PositionCounter.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"

export interface Subscribable {
  /** Id under which clients know the image. */
  readonly registrationId: bigint
  addSubscriber(link: SubscriptionLink, position: PositionCounter, nowNs: number): void
  removeSubscriber(link: SubscriptionLink, position: PositionCounter): void
}
