/**
 * A log buffer: a stream of messages from publishers to readers in shared memory, without a driver. Every reader gets
 * every message, whole and in order; the slowest one holds the publishers back.
 *
 * The layout is that of Aeron's log files: three terms that take turns and a page that describes them. Publishers and
 * readers may be fibers and workers of one process, or processes of their own. The program that makes a log looks after
 * it: as long as its scope is open it lets readers in, cleans what all have read, and frees the log from publishers
 * that died while they wrote.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Sink from "effect/Sink"
import type * as Stream from "effect/Stream"
import type { CoreError } from "./CoreError.ts"
import type { IdleStrategy } from "./IdleStrategy.ts"
import { attempt } from "./internal/attempt.ts"
import * as logBufferFlow from "./internal/logBufferFlow.ts"
import { handleOf } from "./internal/logBufferHandle.ts"
import * as logBufferScope from "./internal/logBufferScope.ts"
import type { FragmentBatch as FragmentBatchKernel } from "./logbuffer/FragmentBatch.ts"
import * as LogBufferMetadata from "./logbuffer/LogBufferMetadata.ts"
import * as Region from "./Region.ts"

/**
 * A view of a log, for one thread. It lives as long as its region does.
 *
 * @category models
 * @since 0.1.0
 */
export interface LogBuffer {
  /** The path of its file, or its name. */
  readonly name: string
  /** Bytes of each of its three terms. */
  readonly termLength: number
  /** Bytes of the longest frame, header included. */
  readonly mtuLength: number
  readonly initialTermId: number
  readonly sessionId: number
  readonly streamId: number
  /** The longest message: an eighth of a term, 16 MiB at most. */
  readonly maxMessageLength: number
  /** The longest message that goes in one frame. Longer ones are cut into fragments and assembled by the readers. */
  readonly maxPayloadLength: number
}

/**
 * For each message its offset and length in one buffer, the position behind it, its flags and reserved value.
 *
 * @category models
 * @since 0.1.0
 */
export type FragmentBatch = FragmentBatchKernel

/**
 * How a log is made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Bytes of a term, a power of two from 64 KiB to 1 GiB. Half of it is how far publishers run ahead of the slowest reader. Default 1 MiB. */
  readonly termLength?: number
  /** Bytes of the longest frame, a multiple of 32 from 64 to 65,504. Default 1,408, as in Aeron. */
  readonly mtuLength?: number
  /** Id of the first term, any int32. Default 0. */
  readonly initialTermId?: number
  /** Written into each frame. Default 0. */
  readonly sessionId?: number
  /** Written into each frame. Default 0. */
  readonly streamId?: number
  /**
   * Whether several threads or processes publish. With `"one"` an offer is cheaper, and a second publisher destroys
   * messages. Default `"many"`.
   */
  readonly publishers?: "many" | "one"
  /** After how long without a sign of life a reader is given up. A blocked thread gives none. Default 10 seconds. */
  readonly livenessTimeout?: Duration.Input
  /**
   * After how long a message that was claimed and never finished is given up, because its publisher has died. Must be
   * longer than any living publisher takes. Default 15 seconds.
   */
  readonly unblockTimeout?: Duration.Input
  /** How the log's keeper waits when it has nothing to do. Default `IdleStrategy.park()`. */
  readonly idle?: IdleStrategy
}

/**
 * How a log that another program made is used.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenOptions {
  /** After how long without a sign of life the log's owner is taken for dead. Default 10 seconds. */
  readonly livenessTimeout?: Duration.Input
}

/**
 * How a log is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamOptions {
  /** Messages of one batch at most. Default 1,024. */
  readonly batchMax?: number
  /** How to wait for messages. Default `IdleStrategy.park()`: a message is seen within 1 to 50 ms when the log was idle. */
  readonly idle?: IdleStrategy
}

/**
 * How a sink publishes.
 *
 * @category models
 * @since 0.1.0
 */
export interface SinkOptions {
  /** How to wait for readers and for room. Default `IdleStrategy.park()`. */
  readonly idle?: IdleStrategy
  /** Ends the stream when the sink's input has ended (`LogBuffer.end`). Default false. */
  readonly end?: boolean
}

/**
 * The answer to an offer, which never waits.
 *
 * @category models
 * @since 0.1.0
 */
export type OfferResult =
  | {
      readonly _tag: "Accepted"
      /** Behind the message. */
      readonly position: number
    }
  /** There is no reader. */
  | { readonly _tag: "NotConnected" }
  /** The slowest reader is half a term behind. */
  | { readonly _tag: "BackPressured" }
  /** The stream was ended. */
  | { readonly _tag: "Ended" }
  /** The stream has come to its last position: 2^31 terms, or 2^58. */
  | { readonly _tag: "MaxPositionExceeded" }

/**
 * The answer to an offer of several messages: those before `accepted` were taken.
 *
 * @category models
 * @since 0.1.0
 */
export interface OfferManyResult {
  readonly accepted: number
  /** To the last attempt: `Accepted` when all were taken. */
  readonly result: OfferResult
}

/**
 * Bytes of a region for a log of this term length (default 1 MiB).
 *
 * **Example** (Making room for a log)
 *
 * ```ts
 * import * as LogBuffer from "@millrace/core/LogBuffer"
 *
 * LogBuffer.regionLength(64 * 1024) // => 200704
 * ```
 *
 * @category sizes
 * @since 0.1.0
 */
export const regionLength: (termLength?: number) => number = logBufferScope.regionLength

/**
 * Makes a log of a zeroed region, and keeps it until the scope closes. Fails with `InvalidFormat` when the region has
 * another length than `regionLength`, or holds something.
 *
 * **Details**
 *
 * When the scope closes the stream is ended: readers in other threads and processes get what was published, and end.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (region: Region.Region, options?: Options) => Effect.Effect<LogBuffer, CoreError, Scope.Scope> =
  logBufferScope.make

/**
 * A new log in JavaScript memory, for the fibers of one thread. To share it with a worker make the region first
 * (`Region.heap`), send its `memory`, and `open` it there.
 *
 * **Example** (From one fiber to two)
 *
 * ```ts
 * import * as LogBuffer from "@millrace/core/LogBuffer"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const log = yield* LogBuffer.heap("numbers")
 *   const read = LogBuffer.stream(log).pipe(Stream.runCount)
 *   const write = Stream.range(1, 1000).pipe(
 *     Stream.map((n) => Uint8Array.of(n)),
 *     Stream.run(LogBuffer.sink(log, { end: true }))
 *   )
 *   const [one, two] = yield* Effect.all([read, read, write], { concurrency: "unbounded" })
 *   return one
 * })
 *
 * Effect.runPromise(Effect.scoped(program)) // => 1000
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const heap = (name: string, options?: Options): Effect.Effect<LogBuffer, CoreError, Scope.Scope> =>
  Effect.flatMap(Region.heap(name, regionLength(options?.termLength)), (region) => make(region, options))

/**
 * A new log in a file that was not there before: for several processes. The file stays when the scope ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const create = (
  path: string,
  options?: Options & Region.CreateOptions
): Effect.Effect<LogBuffer, CoreError, Scope.Scope> =>
  Effect.flatMap(Region.create(path, regionLength(options?.termLength), options), (region) => make(region, options))

/**
 * A log that another thread made, over this thread's view of its region. Fails with `InvalidFormat` when it is none.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open: (region: Region.Region, options?: OpenOptions) => Effect.Effect<LogBuffer, CoreError> =
  logBufferScope.open

/**
 * The log in a file that another process made.
 *
 * @category constructors
 * @since 0.1.0
 */
export const map = (path: string, options?: OpenOptions): Effect.Effect<LogBuffer, CoreError, Scope.Scope> =>
  Effect.flatMap(Region.map(path), (region) => open(region, options))

/**
 * Publishes one message, without waiting. Fails with `MessageTooLong` beyond `maxMessageLength`.
 *
 * @category publishing
 * @since 0.1.0
 */
export const offer: (self: LogBuffer, message: Uint8Array) => Effect.Effect<OfferResult, CoreError> =
  logBufferFlow.offer

/**
 * Publishes messages in order, without waiting: in batches, each of which becomes visible at once. Messages longer than
 * a frame go one by one.
 *
 * @category publishing
 * @since 0.1.0
 */
export const offerMany: (
  self: LogBuffer,
  messages: ReadonlyArray<Uint8Array>
) => Effect.Effect<OfferManyResult, CoreError> = logBufferFlow.offerMany

/**
 * Publishes every message, in order, and waits while there is no reader or the slowest one is behind.
 *
 * **Details**
 *
 * Fails with `Closed` when the stream was ended, with `MaxPositionExceeded` at its last position, with `MessageTooLong`,
 * and with `LivenessLost` when it would wait for a log whose owner has died. Messages before the failure have been
 * published.
 *
 * @category publishing
 * @since 0.1.0
 */
export const sink: (self: LogBuffer, options?: SinkOptions) => Sink.Sink<void, Uint8Array, never, CoreError> =
  logBufferFlow.sink

/**
 * Ends the stream behind everything published: its readers read up to here and end, and offers are refused. For the
 * publisher that knows that the others are through.
 *
 * @category publishing
 * @since 0.1.0
 */
export const end: (self: LogBuffer) => Effect.Effect<void, CoreError> = logBufferFlow.end

/**
 * Whether there is a reader.
 *
 * @category publishing
 * @since 0.1.0
 */
export const isConnected = (self: LogBuffer): Effect.Effect<boolean, CoreError> =>
  attempt(() => LogBufferMetadata.isConnected(handleOf(self).log.metadata))

/**
 * Messages from now on, one array each, safe to keep.
 *
 * **Details**
 *
 * The first reader begins where the log begins, one that comes later where the foremost reader is. Ends at the end of
 * the stream. Fails with `LivenessLost` when the log's owner has died, or when this reader's thread was blocked for so
 * long that the owner gave it up, and with `CapacityExhausted` when the log has 32 readers already.
 *
 * @category reading
 * @since 0.1.0
 */
export const stream: (self: LogBuffer, options?: StreamOptions) => Stream.Stream<Uint8Array, CoreError> =
  logBufferFlow.stream

/**
 * As `stream`, many messages in one buffer: batches that may be kept.
 *
 * @category reading
 * @since 0.1.0
 */
export const batches: (self: LogBuffer, options?: StreamOptions) => Stream.Stream<FragmentBatch, CoreError> =
  logBufferFlow.batches

/**
 * As `batches`, without a copy: a batch is the log itself, and valid until the next pull.
 *
 * **Gotchas**
 *
 * Publishers wait for what a borrower holds. Copy what is to be kept (`batch.toOwned()`), and do not buffer the stream.
 *
 * @category reading
 * @since 0.1.0
 */
export const borrowedBatches: (self: LogBuffer, options?: StreamOptions) => Stream.Stream<FragmentBatch, CoreError> =
  logBufferFlow.borrowedBatches
