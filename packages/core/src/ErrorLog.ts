/**
 * An error log in shared memory: each distinct error once, with how often and when it was seen, readable by any process
 * while its owner runs, and still there when the owner has died.
 *
 * The layout is that of Aeron's distinct error log. Errors are the same when their texts are: name, message, stack and
 * causes.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CapacityExhausted, CoreError } from "./CoreError.ts"
import { DistinctErrorLog } from "./errorlog/DistinctErrorLog.ts"
import * as ErrorLogDescriptor from "./errorlog/ErrorLogDescriptor.ts"
import * as ErrorLogReader from "./errorlog/ErrorLogReader.ts"
import { attempt } from "./internal/attempt.ts"
import * as structureRegion from "./internal/structureRegion.ts"
import type * as Region from "./Region.ts"

/**
 * An error log that can be read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Readable {
  readonly region: Region.Region
}

/**
 * An error log of this program.
 *
 * @category models
 * @since 0.1.0
 */
export interface ErrorLog extends Readable {
  /** The kernel that writes: synchronous, and throwing where `record` fails. */
  readonly log: DistinctErrorLog
}

/**
 * One distinct error. Times are epoch milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Observation {
  readonly count: number
  readonly firstMs: number
  readonly lastMs: number
  readonly text: string
}

const LENGTH_MIN = 64

const shape: structureRegion.Shape = {
  format: "error log",
  isValidLength: (length) => length >= LENGTH_MIN && length % ErrorLogDescriptor.RECORD_ALIGNMENT === 0,
  validLengths: `at least ${LENGTH_MIN} and a multiple of ${ErrorLogDescriptor.RECORD_ALIGNMENT}`
}

/**
 * The error log that fills a region; one that already holds errors is continued. The caller is the only one to record
 * in it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (region: Region.Region): Effect.Effect<ErrorLog, CoreError> =>
  Effect.flatMap(Clock.Clock, (clock) =>
    structureRegion.over(shape, region, (region) => ({
      region,
      log: new DistinctErrorLog(region.buffer(), () => clock.currentTimeMillisUnsafe())
    }))
  )

/**
 * A new error log in JavaScript memory. `length` in bytes is at least 64 and a multiple of 8.
 *
 * **Example** (Counting an error that comes again)
 *
 * ```ts
 * import * as ErrorLog from "@millrace/core/ErrorLog"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const log = yield* ErrorLog.heap("errors", 64 * 1024)
 *   yield* ErrorLog.record(log, "no route to host")
 *   yield* ErrorLog.record(log, "no route to host")
 *   const observations = yield* ErrorLog.observations(log)
 *   return observations.map(({ count, text }) => `${count} x ${text}`)
 * })
 *
 * Effect.runPromise(Effect.scoped(program)) // => ["2 x no route to host"]
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const heap = (name: string, length: number): Effect.Effect<ErrorLog, CoreError, Scope.Scope> =>
  structureRegion.heap(shape, name, length, make)

/**
 * A new error log in a file that was not there before, for other processes to read. The file stays when the scope ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const create = (
  path: string,
  length: number,
  options?: Region.CreateOptions
): Effect.Effect<ErrorLog, CoreError, Scope.Scope> => structureRegion.create(shape, path, length, options, make)

/**
 * The error log in a file that another process writes, or wrote, to be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const map = (path: string): Effect.Effect<Readable, CoreError, Scope.Scope> =>
  structureRegion.mapReadOnly(shape, path, (region) => ({ region }))

/**
 * Records an error: anything that was thrown, or a `Cause`. Fails with `CapacityExhausted` when it is a new error and
 * the log has no room for it.
 *
 * @category recording
 * @since 0.1.0
 */
export const record = (self: ErrorLog, error: unknown): Effect.Effect<void, CoreError> =>
  Effect.flatMap(
    attempt(() => self.log.record(Cause.isCause(error) ? Cause.squash(error) : error)),
    (isRecorded) => (isRecorded ? Effect.void : Effect.fail(new CoreError({ reason: full(self) })))
  )

/**
 * The distinct errors that were last seen at or after `sinceMs`, in the order in which they were first seen.
 *
 * @category reading
 * @since 0.1.0
 */
export const observations = (
  self: Readable,
  sinceMs: number = 0
): Effect.Effect<ReadonlyArray<Observation>, CoreError> =>
  attempt(() => {
    const found: Array<Observation> = []
    ErrorLogReader.read(
      self.region.buffer(),
      (count, firstMs, lastMs, text) => found.push({ count, firstMs, lastMs, text }),
      sinceMs
    )
    return found
  })

const full = (self: ErrorLog): CapacityExhausted =>
  new CapacityExhausted({ resource: `error log ${self.region.state.name}`, capacity: self.log.distinctCount })
