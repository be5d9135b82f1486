/**
 * The subscriptions of one stream that may be left behind (`tether=false`). One that stays below the window for long
 * enough loses its image; after it had time to linger it no longer holds back the publisher; after resting it joins
 * again, if it wants to.
 *
 *     Active ──► Linger ──► Resting ──► Active …        (or gone after Linger when rejoin=false)
 */
import type { PositionCounter } from "./PositionCounter.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"

export interface UntetheredTimeouts {
  readonly windowLimitNs: number
  readonly lingerNs: number
  readonly restingNs: number
}

/** What the stream does for its untethered subscriptions. */
export interface UntetheredListener {
  onLeftBehind(link: SubscriptionLink): void
  onDetach(link: SubscriptionLink, position: PositionCounter): void
  onRejoin(link: SubscriptionLink, position: PositionCounter): void
}

interface Untethered {
  readonly link: SubscriptionLink
  readonly position: PositionCounter
  state: "Active" | "Linger" | "Resting"
  timeOfLastUpdateNs: number
}

export class UntetheredSubscriptions {
  private readonly timeouts: UntetheredTimeouts
  private readonly listener: UntetheredListener
  private subscriptions: Array<Untethered> = []

  constructor(timeouts: UntetheredTimeouts, listener: UntetheredListener) {
    this.timeouts = timeouts
    this.listener = listener
  }

  add(link: SubscriptionLink, position: PositionCounter, nowNs: number): void {
    if (!link.parameters.isTether) {
      this.subscriptions.push({ link, position, state: "Active", timeOfLastUpdateNs: nowNs })
    }
  }

  remove(link: SubscriptionLink): void {
    this.subscriptions = this.subscriptions.filter((untethered) => untethered.link !== link)
  }

  /** Resting ones are in no list of the stream: their counters are freed from here. */
  close(): void {
    for (const untethered of this.subscriptions) {
      if (untethered.state === "Resting") {
        untethered.position.close()
      }
    }
    this.subscriptions = []
  }

  get hasResting(): boolean {
    return this.subscriptions.some(({ state }) => state === "Resting")
  }

  /** Whether the position is of one that has lost its image and not yet let go of it: it may never move again. */
  isLeftBehind(position: PositionCounter): boolean {
    return this.subscriptions.some((untethered) => untethered.position === position && untethered.state === "Linger")
  }

  /** Subscriptions at or below `windowLimit` are falling behind. */
  check(windowLimit: number, nowNs: number): void {
    for (const untethered of this.subscriptions) {
      this.checkOne(untethered, windowLimit, nowNs)
    }
  }

  private checkOne(untethered: Untethered, windowLimit: number, nowNs: number): void {
    const elapsedNs = nowNs - untethered.timeOfLastUpdateNs
    switch (untethered.state) {
      case "Active":
        if (untethered.position.getVolatile() > windowLimit) {
          untethered.timeOfLastUpdateNs = nowNs
        } else if (elapsedNs >= this.timeouts.windowLimitNs) {
          this.listener.onLeftBehind(untethered.link)
          this.become(untethered, "Linger", nowNs)
        }
        break
      case "Linger":
        if (elapsedNs >= this.timeouts.lingerNs) {
          this.listener.onDetach(untethered.link, untethered.position)
          if (untethered.link.parameters.isRejoin) {
            this.become(untethered, "Resting", nowNs)
          } else {
            this.remove(untethered.link)
            untethered.position.close()
          }
        }
        break
      case "Resting":
        if (elapsedNs >= this.timeouts.restingNs) {
          this.listener.onRejoin(untethered.link, untethered.position)
          this.become(untethered, "Active", nowNs)
        }
        break
    }
  }

  private become(untethered: Untethered, state: Untethered["state"], nowNs: number): void {
    untethered.state = state
    untethered.timeOfLastUpdateNs = nowNs
  }
}
