/**
 * Recording a stream: every message into a topic, with its place.
 *
 * **Details**
 *
 * A recording is a topic with a queue for each session of each stream. Whatever has a payload, a position, a session and a
 * stream can be recorded; a subscription of `@millrace/transport` gives such messages. A recorder that is started again
 * goes on exactly where its recording ends: what comes again is left out, and what is missing is an error or, by choice, a
 * gap that is kept.
 *
 * **Example** (Recording, and replaying what was recorded)
 *
 * ```ts
 * import { MessageStore, Recorder, Replayer } from "@millrace/store"
 * import { Effect, Stream } from "effect"
 *
 * const live = Stream.range(1, 3).pipe(
 *   Stream.map((n) => ({ payload: Uint8Array.of(n), position: n * 64, sessionId: 7, streamId: 1001 }))
 * )
 *
 * const program = Effect.gen(function*() {
 *   const recorder = yield* Recorder.make("trades")
 *   yield* live.pipe(Stream.run(recorder.sink))
 *   const replayer = yield* Replayer.make("trades")
 *   const replayed = yield* replayer.stream({ from: { position: 64 } }).pipe(Stream.runCollect)
 *   return replayed.map(({ payload }) => payload[0])
 * }).pipe(Effect.provide(MessageStore.layerMemory()))
 *
 * Effect.runPromise(program) // => [2, 3]
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Sink from "effect/Sink"
import * as recording from "./internal/recording.ts"
import { MessageStore } from "./MessageStore.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * A message and its place in the stream of its session.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamMessage {
  readonly payload: Uint8Array
  /** The position behind it. Positions of a session only grow. */
  readonly position: number
  readonly sessionId: number
  readonly streamId: number
  /**
   * Where it begins: behind the message before it, whatever else lies in between. Only messages that say this show that
   * others are missing before them.
   */
  readonly startPosition?: number | undefined
}

/**
 * What to do about a session that goes on beyond the end of its recording: fail with `RecordingGap`, or record on. Then
 * replays show the gap.
 *
 * @category models
 * @since 0.1.0
 */
export type OnGap = "fail" | "record"

/**
 * How a recording is made.
 *
 * @category models
 * @since 0.1.0
 */
export interface RecorderOptions {
  /** Default `fail`. */
  readonly onGap?: OnGap | undefined
  /** Most sessions of the recording: each takes a queue. Default 1,024. */
  readonly sessionsMax?: number | undefined
}

/**
 * How far a session has been recorded.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress {
  readonly streamId: number
  readonly sessionId: number
  /** The queue of the topic that has it. */
  readonly queueId: number
  /** Where the first message that is kept begins; undefined where its source did not say. */
  readonly startPosition: number | undefined
  /** Behind the last message that is in the store, which outlives the process. */
  readonly recordedPosition: number
  /**
   * Behind the last message that is on the device, which outlives the machine; undefined before the first. With
   * synchronous flush it is `recordedPosition`.
   */
  readonly durablePosition: number | undefined
}

/**
 * A recorder of one topic.
 *
 * @category models
 * @since 0.1.0
 */
export interface Recorder {
  readonly topic: string
  /**
   * Records what it is given, array by array, and waits for the store. It is done with the payloads of an array when it
   * takes the next one, so those of `Subscription.borrowedMessages` may be recorded without a copy.
   */
  readonly sink: Sink.Sink<void, StreamMessage, never, StoreError>
  /**
   * Records messages and waits for the store. Those that are recorded already are compared and left out. When one cannot be
   * recorded, all before it are.
   */
  record(messages: ReadonlyArray<StreamMessage>): Effect.Effect<void, StoreError>
  /** Every session of the recording, and how far it has come. */
  readonly progress: Effect.Effect<ReadonlyArray<Progress>, StoreError>
}

const SESSIONS_MAX_DEFAULT = 1024

/**
 * Makes a recorder that goes on where the recording in the topic ends, or begins one. Several of one topic and store are
 * one recording: they take turns.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (topic: string, options: RecorderOptions = {}): Effect.Effect<Recorder, StoreError, MessageStore> =>
  Effect.gen(function* () {
    const store = yield* MessageStore
    const recorded = recording.of(store, topic)
    // A topic that is none is refused now, not with the first message.
    yield* recorded.progress
    const { onGap = "fail", sessionsMax = SESSIONS_MAX_DEFAULT } = options
    const record = (messages: ReadonlyArray<StreamMessage>) => recorded.record(messages, { onGap, sessionsMax })
    return { topic, record, sink: Sink.forEachArray(record), progress: recorded.progress }
  })
