/** Shows how far long work on a store has come. */
import * as StoreProgress from "@millrace/store/Progress"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import * as Progress from "../output/Progress.ts"

type Shown = Scope.Scope | Stdio.Stdio | Terminal.Terminal

export const withProgress = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Scope.Scope> | Stdio.Stdio | Terminal.Terminal> =>
  Effect.scoped(
    Effect.gen(function* () {
      const context = yield* Effect.context<Shown>()
      const shown = new Map<string, Progress.Progress>()
      const show = Effect.fnUntraced(function* ({ done, noun, task, total }: StoreProgress.Progress) {
        let progress = shown.get(task)
        if (progress === undefined) {
          progress = yield* Progress.make({ label: task, noun, total })
          shown.set(task, progress)
        }
        yield* progress.update(done)
      })
      return yield* Effect.provideService(effect, StoreProgress.OnProgress, (progress) =>
        Effect.provideContext(show(progress), context)
      )
    })
  )
