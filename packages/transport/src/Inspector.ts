/**
 * What a media driver tells about itself in its directory, read without being its client: counters, streams, backlogs,
 * errors, loss, and the frames in its log buffers. The driver may be ours or Aeron's, in Java or C; it may run, or have
 * died and left its directory behind. Nothing is written.
 *
 * @since 0.1.0
 */
import type { LogBufferMetadata } from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import type { LossReportEntry } from "@millrace/core/kernel/lossreport/LossReportReader"
import type { CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as StreamCounterTypes from "./driver/StreamCounters.ts"
import type { BacklogRow } from "./inspect/BacklogStat.ts"
import * as DriverStat from "./inspect/DriverStat.ts"
import type { LogFrame } from "./inspect/LogInspector.ts"
import * as StreamStat from "./inspect/StreamStat.ts"
import * as defaults from "./internal/defaultDirectory.ts"
import * as directoryInspector from "./internal/directoryInspector.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * A counter: `id`, `typeId`, `value`, `registrationId`, `ownerId`, `referenceId`, `key`, `label`.
 *
 * @category models
 * @since 0.1.0
 */
export type Counter = CounterRecord

/**
 * The counters of one session of a stream on a channel.
 *
 * @category models
 * @since 0.1.0
 */
export type StreamCounters = StreamStat.StreamRow

/**
 * How far behind the parts of a stream are: its publisher, the sender, the receiver and each subscriber.
 *
 * @category models
 * @since 0.1.0
 */
export type StreamBacklog = BacklogRow

/**
 * The loss of one stream from one source.
 *
 * @category models
 * @since 0.1.0
 */
export type Loss = LossReportEntry

/**
 * A distinct error that the driver has recorded.
 *
 * @category models
 * @since 0.1.0
 */
export interface RecordedError {
  readonly count: number
  readonly firstMs: number
  readonly lastMs: number
  readonly text: string
}

/**
 * Who the driver is, and whether it lives.
 *
 * @category models
 * @since 0.1.0
 */
export interface DriverStatus {
  readonly directory: string
  readonly pid: number
  /** Version of the control file: `0.2.0`. */
  readonly cncVersion: string
  readonly startMs: number
  /** Since its last sign of life; undefined when it has shut down, or not begun. */
  readonly heartbeatAgeMs: number | undefined
}

/**
 * A driver's directory, open to be looked at.
 *
 * @category models
 * @since 0.1.0
 */
export interface Inspector {
  readonly status: Effect.Effect<DriverStatus, TransportError>
  /** All counters, in the order of their ids. */
  readonly counters: Effect.Effect<ReadonlyArray<Counter>, TransportError>
  /** The counters of each stream. */
  readonly streams: Effect.Effect<ReadonlyArray<StreamCounters>, TransportError>
  readonly backlogs: Effect.Effect<ReadonlyArray<StreamBacklog>, TransportError>
  /** The distinct errors, in the order in which they were first seen. */
  readonly errors: Effect.Effect<ReadonlyArray<RecordedError>, TransportError>
  /** Where data was lost, in the order in which it first was. */
  readonly losses: Effect.Effect<ReadonlyArray<Loss>, TransportError>
}

/**
 * A log buffer, open to be looked at.
 *
 * @category models
 * @since 0.1.0
 */
export interface LogInspector {
  /** What its last page says; `tails` and positions are those of this moment. */
  readonly metadata: Effect.Effect<LogBufferMetadata, TransportError>
  /**
   * The frames of its three terms, the oldest term first, each with the first `payloadLengthMax` bytes of its payload.
   * Each run reads the log as it then is: a frame may be cleaned while the one before it is looked at.
   */
  readonly frames: (options?: {
    /** Default: the whole payload. */
    readonly payloadLengthMax?: number
  }) => Stream.Stream<Frame>
}

/**
 * A frame of a log.
 *
 * @category models
 * @since 0.1.0
 */
export type Frame = LogFrame

/**
 * Opens the directory of a driver, or the one that all programs of this user share. Fails with `DriverNotFound` when no
 * driver has ever been ready there, and with `IncompatibleDriver` when its control file is of another version.
 *
 * **Example** (Finding the slowest subscriber)
 *
 * ```ts
 * import { Inspector } from "@millrace/transport"
 * import { Effect } from "effect"
 *
 * const slowest = Effect.gen(function* () {
 *   const inspector = yield* Inspector.open()
 *   const subscribers = (yield* inspector.backlogs).flatMap(({ subscribers }) => subscribers)
 *   return subscribers.toSorted((left, right) => Number(right.backlog - left.backlog))[0]
 * }).pipe(Effect.scoped)
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const open: (options?: {
  readonly directory?: string
}) => Effect.Effect<Inspector, TransportError, Scope.Scope> = directoryInspector.open

/**
 * Opens a log buffer: a file in `publications` or `images` of a driver's directory, or a copy of one. Fails with
 * `Corrupt` when it is none.
 *
 * @category constructors
 * @since 0.1.0
 */
export const openLog: (file: string) => Effect.Effect<LogInspector, TransportError, Scope.Scope> =
  directoryInspector.openLog

/**
 * The stream that a counter belongs to, or undefined when it is no counter of a stream.
 *
 * @category reading
 * @since 0.1.0
 */
export const streamOf: (counter: Counter) => StreamStat.StreamKey | undefined = StreamStat.streamOf

/**
 * What a driver has counted since it began.
 *
 * @category models
 * @since 0.1.0
 */
export type DriverTotals = DriverStat.DriverTotals

/**
 * The driver's own counts, out of all counters.
 *
 * @category reading
 * @since 0.1.0
 */
export const totalsOf: (counters: ReadonlyArray<Counter>) => DriverTotals = DriverStat.totals

/**
 * A client of a driver, and when it last gave a sign of life.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientStatus = DriverStat.ClientRow

/**
 * The clients of a driver, out of all counters.
 *
 * @category reading
 * @since 0.1.0
 */
export const clientsOf: (counters: ReadonlyArray<Counter>) => ReadonlyArray<ClientStatus> = DriverStat.clients

/**
 * Types of the counters of a stream that count events; a stream without such events may have no such counter.
 *
 * @category reading
 * @since 0.1.0
 */
export const counterTypes: Readonly<Record<"senderBackPressure" | "senderNaksReceived" | "receiverNaksSent", number>> =
  {
    senderBackPressure: StreamCounterTypes.SENDER_BPE_TYPE_ID,
    senderNaksReceived: StreamCounterTypes.SENDER_NAKS_RECEIVED_TYPE_ID,
    receiverNaksSent: StreamCounterTypes.RECEIVER_NAKS_SENT_TYPE_ID
  }

/**
 * The directory of the driver that all programs of this user share: `/dev/shm/aeron-<user>`.
 *
 * @category reading
 * @since 0.1.0
 */
export const defaultDirectory: () => string = defaults.defaultDirectory
