/** What the driver's agents are told once, when they start: plain values, concluded from the configuration. */
import type { PublicationDefaults } from "../channel/PublicationParameters.ts"
import type { SubscriptionDefaults } from "../channel/SubscriptionParameters.ts"
import type { FlowControlDefaults } from "../flow/FlowControlSelection.ts"
import type * as PortRange from "../media/PortRange.ts"

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
  /** How long a NAK waits for its answer. */
  readonly retransmitDelayNs: number
  /** Bytes a second that a publication sends again at most; 0 = no limit. */
  readonly retransmitRate: number
  readonly flowControl: FlowControlDefaults
  /** Cycles of the sender that send before one that listens. */
  readonly sendsPerPoll: number
  /** Datagrams of one publication in one cycle of the sender. */
  readonly datagramsPerSendMax: number
  /** Tag that receivers tell whose channel has none. */
  readonly receiverGroupTag: bigint | undefined
  /** Ports for sockets whose channel says port 0. */
  readonly senderPorts: PortRange.Bounds
  readonly receiverPorts: PortRange.Bounds
  /** Logs that are unmapped in one cycle of the conductor. */
  readonly logsFreedPerCycle: number
  readonly nakDelayNs: number
  readonly nakRetryRatio: number
  readonly resolutionCheckIntervalNs: number
  /** Look-ups of a name that take longer are counted. */
  readonly nameResolverThresholdNs: number
  /** Bytes; 0 = the system's. */
  readonly socketReceiveBufferLength: number
  readonly socketSendBufferLength: number
  readonly streamSessionLimit: number
  /** Whether receivers with `cc=cubic` measure the round trip. */
  readonly isMeasuringRtt: boolean
  readonly cubicInitialRttNs: number
  readonly isCubicTcpMode: boolean
}
