/** Runs a command as a client of the driver in a directory. It ends when the driver does, whatever it is waiting for. */
import * as Client from "@millrace/transport/Client"
import type { TransportError } from "@millrace/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

const driverEnds = Effect.flatMap(Client.Client, ({ awaitFailure }) => awaitFailure)

export const withClient = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { directory }: { readonly directory: Option.Option<string> }
): Effect.Effect<A, E | TransportError, Exclude<Exclude<R, Scope.Scope>, Client.Client>> =>
  effect.pipe(
    Effect.raceFirst(driverEnds),
    Effect.scoped,
    Effect.provide(Client.layerWith(Option.isSome(directory) ? { directory: directory.value } : {}))
  )
