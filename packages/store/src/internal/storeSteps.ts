/** Drives the generators of long work: one step after the other, with progress told and other fibers let in between. */
import * as Effect from "effect/Effect"
import { OnProgress, type Progress } from "../Progress.ts"
import type { StoreError } from "../StoreError.ts"
import { fromThrown } from "./storeErrors.ts"

/** Runs a step of the kernels: what they throw becomes the package's error, anything else is a defect. */
export const attempt = <A>(run: () => A): Effect.Effect<A, StoreError> => Effect.suspend(() => attemptNow(run))

/** The same at once, for who is inside of a step already. */
export const attemptNow = <A>(run: () => A): Effect.Effect<A, StoreError> => {
  try {
    return Effect.succeed(run())
  } catch (thrown) {
    const error = fromThrown(thrown)
    return error === undefined ? Effect.die(thrown) : Effect.fail(error)
  }
}

export const drive = Effect.fnUntraced(function* <Step, A>(
  steps: Generator<Step, A>,
  progressOf: (step: Step) => Progress
): Effect.fn.Return<A, StoreError> {
  const onProgress = yield* OnProgress
  for (;;) {
    const step = yield* attempt(() => steps.next())
    if (step.done === true) {
      return step.value
    }
    yield* onProgress(progressOf(step.value))
    yield* Effect.yieldNow
  }
})
