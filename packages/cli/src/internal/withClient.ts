/**
 * Runs a command as a client of the driver in a directory, with the options of the environment, such as
 * `AERON_DRIVER_TIMEOUT`. It ends when the driver does, whatever it is waiting for.
 */
import * as Client from "@millrace/transport/Client"
import * as ClientConfig from "@millrace/transport/ClientConfig"
import type { TransportError } from "@millrace/transport/TransportError"
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

const driverEnds = Effect.flatMap(Client.Client, ({ awaitFailure }) => awaitFailure)

const clientOf = (directory: Option.Option<string>): Layer.Layer<Client.Client, TransportError | Config.ConfigError> =>
  Effect.suspend(() => ClientConfig.config).pipe(
    Effect.map((options) =>
      Client.layerWith(Option.isSome(directory) ? { ...options, directory: directory.value } : options)
    ),
    Layer.unwrap
  )

export const withClient = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { directory }: { readonly directory: Option.Option<string> }
): Effect.Effect<A, E | TransportError | Config.ConfigError, Exclude<Exclude<R, Scope.Scope>, Client.Client>> =>
  effect.pipe(Effect.raceFirst(driverEnds), Effect.scoped, Effect.provide(clientOf(directory)))
