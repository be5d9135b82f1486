/**
 * Publications of one writer: never shared, so a little faster, and revocable.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Client } from "./Client.ts"
import type { Publication, PublicationOptions } from "./Publication.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * A publication of one writer.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExclusivePublication extends Publication {
  /** Ends the stream at once: subscribers lose what they have not read, and their images fail with `ImageRevoked`. */
  readonly revoke: Effect.Effect<void>
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
