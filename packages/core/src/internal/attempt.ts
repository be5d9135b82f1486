import * as Effect from "effect/Effect"
import { CoreError, reasonOf } from "../CoreError.ts"

/** The typed error for something thrown by a kernel or by libc; anything else dies as a defect. */
export const failThrown = (thrown: unknown): Effect.Effect<never, CoreError> => {
  const reason = reasonOf(thrown)
  return reason === undefined ? Effect.die(thrown) : Effect.fail(new CoreError({ reason }))
}

/** Runs synchronous kernel code and gives what it throws its type. */
export const attempt = <A>(evaluate: () => A): Effect.Effect<A, CoreError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(evaluate())
    } catch (thrown) {
      return failThrown(thrown)
    }
  })
