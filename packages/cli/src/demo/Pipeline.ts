/**
 * The line of the demo: an embedded driver in this process, a recorder process and a publisher process, watched until
 * the last record is stored.
 */
import * as EntryFile from "@millrace/core/EntryFile"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { CommandError, PublisherLost } from "../CommandError.ts"
import * as ChildProcess from "../internal/childProcess.ts"
import type * as ChildEvent from "./ChildEvent.ts"
import type { PublisherConfig, RecorderConfig } from "./PipelineConfig.ts"

export type PipelineConfig = PublisherConfig & RecorderConfig

export interface Outcome {
  readonly publisher: ChildEvent.Done
  readonly recorder: ChildEvent.Done
}

/** How long the recorder may take to see that its publisher is gone; the driver tells it sooner than that. */
const PUBLISHER_LOSS_LIMIT = "10 seconds"

const entry = (name: string): URL => EntryFile.resolve(import.meta.url, `./${name}`)

/** Streams everything. `onProgress` is told how many records the recorder has received. */
export const run = Effect.fnUntraced(function* (
  config: PipelineConfig,
  onProgress: (records: number) => Effect.Effect<void>
) {
  const recorder = yield* ChildProcess.fork("recorder", entry("recorder"), config)
  const publisher = yield* ChildProcess.fork("publisher", entry("publisher"), config)
  const publishing = yield* Effect.forkScoped(publisher.run(() => Effect.void))
  const recording = yield* Effect.forkScoped(recorder.run(onProgress))

  // The death of a publisher is not the end yet: the recorder stores what came, and says how much that was.
  const publisherFailed = Effect.andThen(Fiber.join(publishing), Effect.never).pipe(
    Effect.catchReason("CommandError", "ProcessDied", (reason) =>
      Effect.delay(Effect.fail(new CommandError({ reason })), PUBLISHER_LOSS_LIMIT)
    )
  )
  const recorded = yield* Effect.exit(Effect.raceFirst(Fiber.join(recording), publisherFailed))
  if (Exit.isSuccess(recorded)) {
    return { publisher: yield* Fiber.join(publishing), recorder: recorded.value } satisfies Outcome
  }
  const lost = Option.getOrUndefined(Exit.findErrorOption(recorded))
  return yield* lost?.reason._tag === "PublisherLost"
    ? blame(lost.reason, publishing)
    : Effect.failCause(recorded.cause)
})

/** The recorder knows how much is missing; how the publisher ended is the other half of the story. */
const blame = Effect.fnUntraced(function* (
  { expected, received }: PublisherLost,
  publishing: Fiber.Fiber<ChildEvent.Done, CommandError>
) {
  const cause = yield* Effect.flip(Fiber.join(publishing)).pipe(Effect.option)
  const died = Option.getOrUndefined(cause)
  if (died !== undefined && died.reason._tag !== "ProcessDied") {
    return yield* died
  }
  return yield* new CommandError({
    reason: new PublisherLost({ received, expected, ...(died === undefined ? {} : { how: died.message }) })
  })
})
