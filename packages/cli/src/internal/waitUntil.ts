/** Waits for something that another process brings about. */
import * as Effect from "effect/Effect"

const INTERVAL = "1 millis"

export const waitUntil = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep(INTERVAL), waitUntil(condition))
  )
