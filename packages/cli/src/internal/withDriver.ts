/** The driver for a command that measures: the running one that is named, else one of its own that ends with it. */
import * as MediaDriver from "@millrace/transport/MediaDriver"
import type { TransportError } from "@millrace/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Nothing is worth waiting for when the measurement is over. */
const LINGER = "200 millis"

/** Runs `use` with the directory of the driver. */
export const withDriver = <A, E, R>(
  named: Option.Option<string>,
  use: (directory: string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | TransportError, R> =>
  Option.match(named, {
    onSome: use,
    onNone: () =>
      Effect.flatMap(MediaDriver.MediaDriver, ({ directory }) => use(directory)).pipe(
        Effect.provide(MediaDriver.layerEmbedded({ publicationLingerTimeout: LINGER }))
      ) as Effect.Effect<A, E | TransportError, R>
  })
