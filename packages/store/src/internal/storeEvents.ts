/**
 * What a store tells its operators while it runs: a span for each slow step that nobody called, and a log message for
 * what changes how it works. Steps of the engine are synchronous, so each is told when it has ended.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { RecoveryReport } from "../recovery/Recovery.ts"
import type { StoreError } from "../StoreError.ts"

const NS_PER_MS = 1_000_000

type Attributes = Readonly<Record<string, string | number>>

export class StoreEvents {
  readonly #directory: string
  readonly #context: Context.Context<never>
  /** Why messages are refused, as it was told last. */
  #refusal: string | undefined = undefined

  static readonly make = (directory: string): Effect.Effect<StoreEvents> =>
    Effect.map(Effect.context<never>(), (context) => new StoreEvents(directory, context))

  constructor(directory: string, context: Context.Context<never>) {
    this.#directory = directory
    this.#context = context
  }

  onOpened(report: RecoveryReport): void {
    const { exit, maxPosition, minPosition, queueEntriesCut, readFrom, recordsRead, refusedBytes, tornBytes } = report
    const annotations = {
      exit,
      minPosition,
      maxPosition,
      readFrom,
      recordsRead,
      tornBytes,
      refusedBytes,
      queueEntriesCut
    }
    this.#log(
      queueEntriesCut > 0
        ? Effect.logWarning(
            "millrace: opened a store whose queues led beyond the end of its log, and cut those entries"
          )
        : tornBytes > 0
          ? Effect.logWarning("millrace: opened a store, and cut what was unfinished at the end of its log")
          : Effect.logDebug("millrace: opened a store"),
      annotations
    )
  }

  /** A put went on in the next file of the log. */
  onRolled(fromOffset: number, startMs: number, endMs: number): void {
    this.#span("millrace.store.roll", startMs, endMs, Exit.void, { fromOffset })
    this.#log(Effect.logDebug("millrace: the log of a store goes on in a new file"), { fromOffset })
  }

  /** Runs a step of cleaning that removes a file of the log, and what of queues and index stood for it. */
  onCleaning(fromOffset: number, nowMs: () => number, run: () => void): void {
    const startMs = nowMs()
    let exit: Exit.Exit<void, unknown> = Exit.void
    try {
      run()
    } catch (error) {
      exit = Exit.failCause(Cause.fail(error))
      throw error
    } finally {
      this.#span("millrace.store.clean", startMs, nowMs(), exit, { fromOffset })
      if (Exit.isSuccess(exit)) {
        this.#log(Effect.logDebug("millrace: a file of a store's log was removed"), { fromOffset })
      }
    }
  }

  /** Tells when a store begins to refuse messages, for another reason, or takes them again. */
  onHealth(refusal: StoreError | undefined): void {
    const tag = refusal?.reason._tag
    if (tag === this.#refusal) {
      return
    }
    this.#refusal = tag
    this.#log(
      refusal === undefined
        ? Effect.logInfo("millrace: a store takes messages again")
        : Effect.logError(`millrace: a store refuses messages: ${refusal.message}`),
      tag === undefined ? {} : { reason: tag }
    )
  }

  #span(name: string, startMs: number, endMs: number, exit: Exit.Exit<unknown, unknown>, attributes: Attributes): void {
    const told = Effect.map(Effect.tracer, (tracer) => {
      const span = tracer.span({
        name,
        parent: Option.none(),
        annotations: Context.empty(),
        links: [],
        startTime: BigInt(Math.round(startMs * NS_PER_MS)),
        kind: "internal",
        root: true,
        sampled: true
      })
      for (const [key, value] of Object.entries({ directory: this.#directory, ...attributes })) {
        span.attribute(key, value)
      }
      span.end(BigInt(Math.round(endMs * NS_PER_MS)), exit)
    })
    this.#run(told)
  }

  #log(message: Effect.Effect<void>, attributes: Attributes): void {
    this.#run(Effect.annotateLogs(message, { directory: this.#directory, ...attributes }))
  }

  #run(effect: Effect.Effect<void>): void {
    Effect.runForkWith(this.#context)(effect)
  }
}
