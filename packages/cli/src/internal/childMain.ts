/**
 * The main function of the demo's child processes: reads the configuration from the one argument, reports on standard
 * output, and ends when the parent asks for it or is gone.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { CommandError, EXIT_PROBLEM_FOUND } from "../CommandError.ts"
import * as ChildEvent from "../demo/ChildEvent.ts"
import * as PeakMemory from "./peakMemory.ts"
import { endProcess, runMain, STOP_DEADLINE_MS } from "./runMain.ts"

const encodeEvent = Schema.encodeSync(ChildEvent.ChildEvent)

const emit = (event: ChildEvent.ChildEvent): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${JSON.stringify(encodeEvent(event))}\n`)
  })

/** What the work of a child has to show for itself. */
export type Outcome = Pick<ChildEvent.Done, "records" | "bytes" | "elapsedMs">

export type Report = (records: number) => Effect.Effect<void>

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
    message: Cause.hasFails(cause) ? String((error as Error).message) : Cause.pretty(cause)
  })
}

/** Standard input is never written: its end says that the parent is gone. */
const parentGone: Effect.Effect<never> = Effect.callback((resume) => {
  process.stdin.once("close", () => {
    setTimeout(() => endProcess(EXIT_PROBLEM_FOUND), STOP_DEADLINE_MS).unref()
    resume(Effect.interrupt)
  })
  process.stdin.resume()
  return Effect.sync(() => process.stdin.destroy())
})

export const childMain = <Config, E>(
  Config: Schema.Codec<Config, unknown>,
  work: (config: Config, report: Report) => Effect.Effect<Outcome, E, Scope.Scope>
): void => {
  const main = Effect.gen(function* () {
    const config = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Config))(process.argv[2])
    const peakMemory = yield* PeakMemory.sampled
    const outcome = yield* work(config, (records) => emit({ _tag: "Progress", records }))
    yield* emit({ _tag: "Done", ...outcome, peakMemoryBytes: yield* peakMemory })
  })
  main.pipe(Effect.scoped, Effect.raceFirst(parentGone), Effect.tapCause(reportFailure), runMain)
}
