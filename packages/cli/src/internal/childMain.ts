/**
 * The main function of the demo's child processes: reads the configuration from the one argument, reports on standard
 * output, and ends when the parent asks for it or is gone.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { CommandError } from "../CommandError.ts"
import * as ChildEvent from "../demo/ChildEvent.ts"
import * as ExitCode from "./exitCode.ts"
import * as PeakMemory from "./peakMemory.ts"
import { endProcess, runMain, STOP_DEADLINE_MS } from "./runMain.ts"

const encodeEvent = Schema.encodeSync(ChildEvent.ChildEvent)

const emit = (event: ChildEvent.ChildEvent): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${JSON.stringify(encodeEvent(event))}\n`)
  })

/** What the work of a child has to show for itself. */
export type Outcome = Omit<ChildEvent.Done, "_tag" | "peakMemoryBytes">

/** How far the work is; the work writes it, and it is told to the parent from time to time. */
export interface Progress {
  records: number
}

const PROGRESS_INTERVAL = "100 millis"

const reportProgress = (progress: Progress): Effect.Effect<never> =>
  Effect.suspend(() => emit({ _tag: "Progress", records: progress.records })).pipe(
    Effect.delay(PROGRESS_INTERVAL),
    Effect.forever
  )

const reportFailure = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) {
    return Effect.void
  }
  const error = Cause.squash(cause)
  if (error instanceof CommandError) {
    return emit({ _tag: "Failed", message: error.message, reason: error.reason })
  }
  return emit({
    _tag: "Failed",
    message: Cause.hasFails(cause) ? (error as Error).message : Cause.pretty(cause)
  })
}

/** Standard input is never written: its end says that the parent is gone. */
const parentGone: Effect.Effect<never> = Effect.callback((resume) => {
  process.stdin.once("close", () => {
    setTimeout(() => endProcess(ExitCode.PROBLEM_FOUND), STOP_DEADLINE_MS).unref()
    resume(Effect.interrupt)
  })
  process.stdin.resume()
  return Effect.sync(() => process.stdin.destroy())
})

export const childMain = <Config, E>(
  Config: Schema.Codec<Config, unknown>,
  work: (config: Config, progress: Progress) => Effect.Effect<Outcome, E, Scope.Scope>
): void => {
  const main = Effect.gen(function* () {
    const config = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Config))(process.argv[2])
    const peakMemory = yield* PeakMemory.sampled
    const progress: Progress = { records: 0 }
    yield* Effect.forkScoped(reportProgress(progress))
    const outcome = yield* work(config, progress)
    yield* emit({ _tag: "Done", ...outcome, peakMemoryBytes: yield* peakMemory })
  })
  main.pipe(Effect.scoped, Effect.raceFirst(parentGone), Effect.tapCause(reportFailure), runMain)
}
