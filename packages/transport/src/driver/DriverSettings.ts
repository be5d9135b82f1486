/** What the driver's agents are told once, when they start: plain values, concluded from the configuration. */
import type { PublicationDefaults } from "../channel/PublicationParameters.ts"
import type { SubscriptionDefaults } from "../channel/SubscriptionParameters.ts"

export interface DriverSettings {
  readonly clientLivenessTimeoutNs: number
  readonly imageLivenessTimeoutNs: number
  readonly publicationUnblockTimeoutNs: number
  /** How often heartbeats are written and lives are checked. */
  readonly timerIntervalNs: number
  readonly filePageSize: number
  readonly ipcPublication: PublicationDefaults
  readonly networkPublication: PublicationDefaults
  readonly subscription: SubscriptionDefaults
  /** Session ids that the driver never chooses: they are left for clients that name their own. */
  readonly reservedSessionIdLow: number
  readonly reservedSessionIdHigh: number
  readonly conductorCycleThresholdNs: number
}
