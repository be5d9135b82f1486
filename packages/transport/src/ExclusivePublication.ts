/**
 * Publications of one writer: never shared, so a little faster; the only ones that take padding and whole blocks.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Client } from "./Client.ts"
import type { OfferResult, Publication, PublicationOptions } from "./Publication.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * A publication of one writer.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExclusivePublication extends Publication {
  /** Appends a stretch of `length` bytes, at most `maxMessageLength`, that nobody receives. */
  readonly appendPadding: (length: number) => Effect.Effect<OfferResult, TransportError>
  /**
   * Appends whole frames as they are, headers and all, as `Subscription.blockPoll` hands them over: they have to be those
   * that come next in this stream, of its session and stream id, and fit the rest of the term. Else it fails with
   * `InvalidBlock`, and nothing is appended.
   */
  readonly offerBlock: (frames: Uint8Array) => Effect.Effect<OfferResult, TransportError>
}

/**
 * Adds a publication of one writer, with a session of its own.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  options: PublicationOptions
): Effect.Effect<ExclusivePublication, TransportError, Client | Scope.Scope> =>
  Effect.flatMap(Client, (client) => client.exclusivePublication(options))
