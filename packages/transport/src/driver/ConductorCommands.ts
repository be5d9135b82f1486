/** What the sender and the receiver tell the conductor: plain data, so that it can come from another thread. */
import type { PublicationError } from "../command/PublicationError.ts"
import type { Address } from "../media/UdpPort.ts"

/** What a SETUP says. */
export interface ImageRequest {
  readonly endpointId: number
  readonly source: Address
  readonly sessionId: number
  readonly streamId: number
  readonly initialTermId: number
  readonly activeTermId: number
  readonly termOffset: number
  readonly termLength: number
  readonly mtuLength: number
  readonly flags: number
}

/** Who receives a publication. */
export interface ReceiversStatus {
  readonly hasReceivers: boolean
  /** There are as many as the flow control wants. */
  readonly isConnected: boolean
  /** The one that spoke last has everything, or leaves. */
  readonly hasReceivedEos: boolean
}

/** Why a receiver rejects a publication. */
export type Rejection = Omit<PublicationError, "registrationId" | "destinationRegistrationId">

export interface ConductorCommands {
  /** An endpoint is watched no more: its socket can be closed. */
  onEndpointReleased(endpointId: number): void
  /** The receivers of an endpoint are silent: its name may have moved. */
  onSilent(endpointId: number): void
  onReceivers(registrationId: bigint, status: ReceiversStatus): void
  onRejected(registrationId: bigint, rejection: Rejection): void
  onPublicationFailed(registrationId: bigint, error: unknown): void
  onPublicationReleased(registrationId: bigint): void
  /** An image is to be made; its session is `InitInProgress` until it is there or given up. */
  onSetup(request: ImageRequest): void
  /** More sessions than are remembered send data of one stream of the endpoint: so many were forgotten. */
  onEvicted(endpointId: number, count: number): void
  /** Sessions of a stream were left out, because it has as many images as it may have. */
  onSessionLimit(endpointId: number, streamId: number): void
  /** No data comes in any more: the end of the stream, a silent source, or nobody wants it. */
  onImageDraining(correlationId: bigint): void
  /** What arrived is no sequence of frames. */
  onImageFailed(correlationId: bigint, error: unknown): void
  onImageReleased(correlationId: bigint): void
  onError(error: unknown): void
  /** An agent has ended, as it was told to. */
  onTerminated(roleName: string): void
  /** An agent has ended by itself: the driver cannot go on. */
  onAgentDied(roleName: string): void
}

export const CONDUCTOR_COMMANDS = [
  "onEndpointReleased",
  "onSilent",
  "onReceivers",
  "onRejected",
  "onPublicationFailed",
  "onPublicationReleased",
  "onSetup",
  "onEvicted",
  "onSessionLimit",
  "onImageDraining",
  "onImageFailed",
  "onImageReleased",
  "onError",
  "onTerminated",
  "onAgentDied"
] as const satisfies ReadonlyArray<keyof ConductorCommands>
