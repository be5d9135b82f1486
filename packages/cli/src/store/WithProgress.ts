/** Shows how far long work on a store has come, once it has taken a second. */
import * as StoreProgress from "@millrace/store/Progress"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Terminal from "effect/Terminal"
import * as Progress from "../output/Progress.ts"

const PATIENCE_MS = 1000

/** Nothing is shown where the output must be JSON alone. */
export const withProgress =
  (options: { readonly silent: boolean }) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Scope.Scope> | Terminal.Terminal> =>
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Effect.context<Scope.Scope | Terminal.Terminal>()
        const shown = new Map<string, Progress.Progress>()
        const show = Effect.fnUntraced(function* ({ done, noun, task, total }: StoreProgress.Progress) {
          let progress = shown.get(task)
          if (progress === undefined) {
            progress = yield* Progress.make({ label: task, noun, total, patienceMs: PATIENCE_MS }, options)
            shown.set(task, progress)
          }
          yield* progress.update(done)
        })
        return yield* Effect.provideService(effect, StoreProgress.OnProgress, (progress) =>
          Effect.provideContext(show(progress), context)
        )
      })
    )
