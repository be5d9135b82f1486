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
  readonly senderCycleThresholdNs: number
  readonly receiverCycleThresholdNs: number
  readonly statusMessageTimeoutNs: number
  /** A receiver that was not heard of for this long is gone. */
  readonly publicationConnectionTimeoutNs: number
  /** A range that was sent again is not sent again within this time. */
  readonly retransmitLingerNs: number
  readonly nakDelayNs: number
  readonly nakRetryRatio: number
  readonly resolutionCheckIntervalNs: number
  /** Bytes; 0 = the system's. */
  readonly socketReceiveBufferLength: number
  readonly socketSendBufferLength: number
  readonly streamSessionLimit: number
  /** Whether receivers with `cc=cubic` measure the round trip. */
  readonly isMeasuringRtt: boolean
}
