/** What the conductor tells the sender: plain data, so that it can go to another thread. */
import type { FlowControlChoice } from "../flow/FlowControlSelection.ts"
import type { Address, SocketHandle } from "../media/UdpPort.ts"

export interface SendEndpointDescription {
  readonly id: number
  readonly remote: Address
  /** Where messages get the time, of `Timestamps`. */
  readonly timestampOffset: number
  /** For an agent of another thread; undefined where the socket belongs to the conductor's own. */
  readonly socket: SocketHandle | undefined
}

/** The sender's half of a network publication. */
export interface SentPublicationDescription {
  readonly registrationId: bigint
  readonly endpointId: number
  readonly sessionId: number
  readonly streamId: number
  readonly logFile: string
  readonly flowControl: FlowControlChoice
  /** Counters by their ids. */
  readonly senderPosition: number
  readonly senderLimit: number
  readonly senderBackPressure: number
  readonly senderNaksReceived: number
  /** Of receivers that the flow control waits for, if it does. */
  readonly receiverCount: number | undefined
  readonly connectionTimeoutNs: number
  readonly retransmitLingerNs: number
  readonly retransmitDelayNs: number
  /** Bytes a second; 0 = no limit. */
  readonly retransmitRate: number
  /** In one cycle of the sender: other publications get their turn after them. */
  readonly datagramsPerSendMax: number
  readonly maxResend: number
  readonly signalEos: boolean
}

export interface SenderCommands {
  onRegisterEndpoint(endpoint: SendEndpointDescription): void
  /** Answered by `onEndpointReleased`. */
  onCloseEndpoint(endpointId: number): void
  /** The endpoint's name means another address now. */
  onResolutionChange(endpointId: number, remote: Address): void
  onNewPublication(publication: SentPublicationDescription): void
  /** Answered by `onPublicationReleased`. */
  onRemovePublication(registrationId: bigint): void
  /** The log was overwritten: of what is in it nothing more is sent. */
  onPublicationFailure(registrationId: bigint): void
  /** The driver ends. */
  onTerminate(): void
}

export const SENDER_COMMANDS = [
  "onRegisterEndpoint",
  "onCloseEndpoint",
  "onResolutionChange",
  "onNewPublication",
  "onRemovePublication",
  "onPublicationFailure",
  "onTerminate"
] as const satisfies ReadonlyArray<keyof SenderCommands>
