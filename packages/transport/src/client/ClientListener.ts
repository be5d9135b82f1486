import type { ErrorResponse } from "../command/ErrorResponse.ts"
import type { PublicationError } from "../command/PublicationError.ts"
import type { ClientFailure } from "./ClientFailure.ts"
import type { ImageReader } from "./ImageReader.ts"

/** What happens to a client as a whole. Called by its conductor; must not throw. */
export interface ClientListener {
  /** The client has ended by itself: everything it had is closed. */
  onFailure(failure: ClientFailure): void
  /** A subscriber refused the stream of a publication of this client. */
  onPublicationError(error: PublicationError, channel: string): void
  /** A channel that this client uses failed. */
  onChannelError(channel: string, error: ErrorResponse): void
  /** An image was closed because its log holds what cannot be. */
  onCorruptImage(image: ImageReader, channel: string): void
  /** Any client of the driver has added a counter. */
  onAvailableCounter(registrationId: bigint, counterId: number): void
  /** A counter that a client had added is gone; its id may be used again. */
  onUnavailableCounter(registrationId: bigint, counterId: number): void
}
