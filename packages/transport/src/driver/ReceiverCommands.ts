/** What the conductor tells the receiver: plain data, so that it can go to another thread. */
import type { CongestionControlName } from "../channel/SubscriptionParameters.ts"
import type { Address, SocketHandle } from "../media/UdpPort.ts"
import type { SessionState } from "./DataPacketDispatcher.ts"

export interface ReceiveEndpointDescription {
  readonly id: number
  readonly receiverId: bigint
  readonly groupTag: bigint | undefined
  /** Where messages get the time, of `Timestamps`. */
  readonly timestampOffset: number
  /** For an agent of another thread; undefined where the socket belongs to the conductor's own. */
  readonly socket: SocketHandle | undefined
}

export interface CongestionControlDescription {
  readonly name: CongestionControlName
  readonly mtuLength: number
  readonly windowLength: number
  readonly isMeasuringRtt: boolean
  readonly initialRttNs: number
  readonly isTcpMode: boolean
  /** Counters by their ids, where the strategy shows itself in some. */
  readonly rttCounter: number | undefined
  readonly windowCounter: number | undefined
}

/** The receiver's half of an image. */
export interface ReceivedImageDescription {
  readonly correlationId: bigint
  readonly endpointId: number
  readonly sessionId: number
  readonly streamId: number
  readonly source: Address
  /** For the loss report. */
  readonly channel: string
  readonly logFile: string
  readonly joinPosition: number
  readonly isReliable: boolean
  readonly nakDelayNs: number
  readonly nakRetryRatio: number
  readonly congestionControl: CongestionControlDescription
  /** Counters by their ids. */
  readonly hwmPosition: number
  readonly rebuildPosition: number
  readonly naksSent: number
  readonly subscriberPositions: ReadonlyArray<number>
  readonly livenessTimeoutNs: number
  readonly statusMessageTimeoutNs: number
}

export interface ReceiverCommands {
  onRegisterEndpoint(endpoint: ReceiveEndpointDescription): void
  /** Answered by `onEndpointReleased`. */
  onCloseEndpoint(endpointId: number): void
  onAddSubscription(endpointId: number, streamId: number, sessionId: number | undefined): void
  onRemoveSubscription(endpointId: number, streamId: number, sessionId: number | undefined): void
  onNewImage(image: ReceivedImageDescription): void
  /** The counters of the subscribers that set the pace of an image. */
  onSubscribers(correlationId: bigint, positions: ReadonlyArray<number>): void
  onRejectImage(correlationId: bigint, reason: string): void
  /** Nobody reads the image any more. Answered by `onImageReleased`. */
  onReleaseImage(correlationId: bigint): void
  /** The session becomes unknown again, if it is in this state. */
  onRemoveState(endpointId: number, sessionId: number, streamId: number, state: SessionState): void
  /** The driver ends. */
  onTerminate(): void
}

export const RECEIVER_COMMANDS = [
  "onRegisterEndpoint",
  "onCloseEndpoint",
  "onAddSubscription",
  "onRemoveSubscription",
  "onNewImage",
  "onSubscribers",
  "onRejectImage",
  "onReleaseImage",
  "onRemoveState",
  "onTerminate"
] as const satisfies ReadonlyArray<keyof ReceiverCommands>
