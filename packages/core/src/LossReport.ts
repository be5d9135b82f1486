/**
 * A loss report in shared memory: for each stream and source where data was lost, how much and when. A media driver
 * keeps one in its directory (`loss-report.dat`); any process may read it.
 *
 * The layout is that of Aeron's loss report. Channels and sources are ASCII: other characters become question marks.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CapacityExhausted, CoreError } from "./CoreError.ts"
import { attempt } from "./internal/attempt.ts"
import * as structureRegion from "./internal/structureRegion.ts"
import { LENGTH_DEFAULT, LossReport as LossReportKernel, NO_ROOM } from "./lossreport/LossReport.ts"
import * as LossReportDescriptor from "./lossreport/LossReportDescriptor.ts"
import * as LossReportReader from "./lossreport/LossReportReader.ts"
import type * as Region from "./Region.ts"

/**
 * A loss report that can be read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Readable {
  readonly region: Region.Region
}

/**
 * A loss report of this program.
 *
 * @category models
 * @since 0.1.0
 */
export interface LossReport extends Readable {
  /** The kernel that writes: synchronous, and throwing where the functions below fail. */
  readonly report: LossReportKernel
}

/**
 * The loss of one stream from one source: `observationCount`, `totalBytesLost`, `firstObservationMs` and
 * `lastObservationMs` (epoch milliseconds), `sessionId`, `streamId`, `channel`, `source`.
 *
 * @category models
 * @since 0.1.0
 */
export type Entry = LossReportReader.LossReportEntry

/**
 * A stream and source that loses data.
 *
 * @category models
 * @since 0.1.0
 */
export interface LossyStream {
  readonly sessionId: number
  readonly streamId: number
  readonly channel: string
  readonly source: string
}

/**
 * Adds an observation to an entry.
 *
 * @category models
 * @since 0.1.0
 */
export type Recorder = (bytesLost: number) => Effect.Effect<void, CoreError>

const shape: structureRegion.Shape = {
  format: "loss report",
  isValidLength: (length) => length > 0 && length % LossReportDescriptor.ENTRY_ALIGNMENT === 0,
  validLengths: `a multiple of ${LossReportDescriptor.ENTRY_ALIGNMENT}`
}

const construct = (region: Region.Region): LossReport => ({ region, report: new LossReportKernel(region.buffer()) })

/**
 * The loss report that fills a region; one that already holds entries is continued. The caller is the only one to write
 * it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (region: Region.Region): Effect.Effect<LossReport, CoreError> =>
  structureRegion.over(shape, region, construct)

/**
 * A new loss report in JavaScript memory. `length` in bytes is a multiple of 64, 1 MiB by default.
 *
 * **Example** (Reporting loss)
 *
 * ```ts
 * import * as LossReport from "@millrace/core/LossReport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const report = yield* LossReport.heap("loss")
 *   const stream = { sessionId: 1, streamId: 1001, channel: "aeron:udp?endpoint=host:40123", source: "10.0.0.7:51000" }
 *   const lost = yield* LossReport.createEntry(report, stream, 1408)
 *   yield* lost(2816)
 *   const entries = yield* LossReport.entries(report)
 *   return entries.map(({ source, totalBytesLost }) => `${source} ${totalBytesLost}`)
 * })
 *
 * Effect.runPromise(Effect.scoped(program)) // => ["10.0.0.7:51000 4224"]
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const heap = (
  name: string,
  length: number = LENGTH_DEFAULT
): Effect.Effect<LossReport, CoreError, Scope.Scope> => structureRegion.heap(shape, name, length, make)

/**
 * A new loss report in a file that was not there before. The file stays when the scope ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const create = (
  path: string,
  length: number = LENGTH_DEFAULT,
  options?: Region.CreateOptions
): Effect.Effect<LossReport, CoreError, Scope.Scope> => structureRegion.create(shape, path, length, options, make)

/**
 * The loss report in a file that another process writes, to be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const map = (path: string): Effect.Effect<Readable, CoreError, Scope.Scope> =>
  structureRegion.mapReadOnly(shape, path, (region) => ({ region }))

/**
 * Begins the entry of a stream with the bytes it lost first; the result adds further losses. Fails with
 * `CapacityExhausted` when the report is full.
 *
 * @category recording
 * @since 0.1.0
 */
export const createEntry = Effect.fnUntraced(function* (
  self: LossReport,
  stream: LossyStream,
  bytesLost: number
): Effect.fn.Return<Recorder, CoreError> {
  const nowMs = yield* Clock.currentTimeMillis
  const { channel, sessionId, source, streamId } = stream
  const offset = yield* attempt(() => self.report.createEntry(bytesLost, nowMs, sessionId, streamId, channel, source))
  if (offset === NO_ROOM) {
    const entryCount = yield* Effect.map(entries(self), ({ length }) => length)
    return yield* new CoreError({
      reason: new CapacityExhausted({ resource: `loss report ${self.region.state.name}`, capacity: entryCount })
    })
  }
  return (bytesLost) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      attempt(() => self.report.recordObservation(offset, bytesLost, nowMs))
    )
})

/**
 * Every entry, in the order in which the streams first lost data.
 *
 * @category reading
 * @since 0.1.0
 */
export const entries = (self: Readable): Effect.Effect<ReadonlyArray<Entry>, CoreError> =>
  attempt(() => {
    const found: Array<Entry> = []
    LossReportReader.read(self.region.buffer(), (entry) => found.push(entry))
    return found
  })
