/**
 * How far long work on a store has come: recovery when it is opened, an export, a check, a repair.
 *
 * **Example** (Showing the progress of an opening)
 *
 * ```ts
 * import { MessageStore, Progress } from "@millrace/store"
 * import { Effect, Layer } from "effect"
 *
 * const shown: Array<string> = []
 * const showing = Layer.succeed(Progress.OnProgress, ({ task }) => Effect.sync(() => void shown.push(task)))
 *
 * const program = MessageStore.MessageStore.pipe(
 *   Effect.provide(Layer.provide(MessageStore.layerMemory(), showing)),
 *   Effect.map(() => shown.every((task) => task === "recovery"))
 * )
 *
 * Effect.runPromise(program) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Where a piece of work stands. `total` is what `done` will be at its end, as far as that is known.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress {
  readonly task: "recovery" | "export" | "check of the log" | "check of the queues" | "check of the index"
  readonly noun: "bytes" | "entries"
  readonly done: number
  readonly total: number
}

/**
 * Told of progress, a few hundred times a gigabyte. By default nobody is.
 *
 * @category references
 * @since 0.1.0
 */
export const OnProgress = Context.Reference<(progress: Progress) => Effect.Effect<void>>(
  "@millrace/store/Progress/OnProgress",
  { defaultValue: () => () => Effect.void }
)
