/**
 * Replaying a recording: what a `Recorder` has stored, as the stream that it was.
 *
 * **Details**
 *
 * A replay begins at a position or a time and ends at one, at the end of the recording, or never. `merge` reads the
 * recorded past and then a live stream, with no gap and no duplicate: who joins late gets what who was there from the
 * beginning got.
 *
 * **Example** (A late joiner)
 *
 * ```ts
 * import { MessageStore, Recorder, Replayer } from "@millrace/store"
 * import { Effect, Stream } from "effect"
 *
 * const sent = (from: number, to: number) => Stream.range(from, to).pipe(
 *   Stream.map((n) => ({ payload: Uint8Array.of(n), position: n * 64, sessionId: 7, streamId: 1001 }))
 * )
 *
 * const program = Effect.gen(function*() {
 *   const recorder = yield* Recorder.make("trades")
 *   yield* sent(1, 4).pipe(Stream.run(recorder.sink))
 *   const replayer = yield* Replayer.make("trades")
 *   const live = sent(3, 6) // joins while message 3 is sent
 *   const all = yield* replayer.merge(live, { from: "earliest" }).pipe(Stream.runCollect)
 *   return all.map(({ payload }) => payload[0])
 * }).pipe(Effect.provide(MessageStore.layerMemory()))
 *
 * Effect.runPromise(program) // => [1, 2, 3, 4, 5, 6]
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { recordedSessions } from "./internal/recordedQueue.ts"
import * as replayMerge from "./internal/replayMerge.ts"
import * as replayStream from "./internal/replayStream.ts"
import { MessageStore } from "./MessageStore.ts"
import type { StreamMessage } from "./Recorder.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * A position in the stream of a session, or of each session where none is named. Every message is the place behind itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place {
  readonly position: number
  readonly sessionId?: number | undefined
  readonly streamId?: number | undefined
}

/**
 * Where a replay begins: at the first message kept, behind the last one, at a time of recording, or behind a place. To
 * resume, keep the last message of each session and give them as places; sessions without one begin at their first
 * message.
 *
 * @category models
 * @since 0.1.0
 */
export type From = "earliest" | "latest" | Date | Place | ReadonlyArray<Place>

/**
 * Where a replay ends: at what was recorded when it began (`end`), or before, at a time or a place; or never (`live`):
 * then it follows the recording.
 *
 * @category models
 * @since 0.1.0
 */
export type To = "end" | "live" | Date | Place | ReadonlyArray<Place>

/**
 * What to do about positions that are not in the recording: fail with `RecordingGap`, or give an element in their place.
 *
 * @category models
 * @since 0.1.0
 */
export type OnGap = "fail" | "element"

/**
 * Which sessions are replayed, and what becomes of gaps.
 *
 * @category models
 * @since 0.1.0
 */
export interface Selection<G extends OnGap = OnGap> {
  readonly from: From
  /** Only sessions of this stream. Default: all. */
  readonly streamId?: number | undefined
  /** Only this session. Default: all, in the order in which they were recorded. */
  readonly sessionId?: number | undefined
  /** Default `fail`. */
  readonly onGap?: G | undefined
}

/**
 * How a recording is replayed.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReplayOptions<G extends OnGap = OnGap> extends Selection<G> {
  /** Default `end`. */
  readonly to?: To | undefined
}

/**
 * How a replay goes over into a live stream.
 *
 * @category models
 * @since 0.1.0
 */
export interface MergeOptions<G extends OnGap = OnGap> extends Selection<G> {
  /**
   * Most bytes of live messages that wait, one message more. What does not fit is read from the recording instead, as soon
   * as it is there; until then the live stream is held up. Default 4 MiB.
   */
  readonly liveBytesMax?: number | undefined
  /**
   * How long live messages wait for a recording that does not go on, before the stream fails with `RecordingBehind`.
   * Default 5 seconds, as in Aeron.
   */
  readonly patience?: Duration.Input | undefined
}

/**
 * A message as it was recorded. Owned: it may be kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface Replayed extends StreamMessage {
  readonly _tag: "Message"
  /** When it was recorded, in milliseconds; undefined of one that came live. */
  readonly recordedAt: number | undefined
}

/**
 * Positions that are not in the recording, with `onGap: "element"`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Gap {
  readonly _tag: "Gap"
  readonly streamId: number
  readonly sessionId: number
  readonly fromPosition: number
  readonly toPosition: number
}

/**
 * The elements of a replay. Gaps come only where they were asked for.
 *
 * @category models
 * @since 0.1.0
 */
export type Element<G extends OnGap = OnGap> = Replayed | ("element" extends G ? Gap : never)

/**
 * A session that is in a recording.
 *
 * @category models
 * @since 0.1.0
 */
export interface RecordedSession {
  readonly streamId: number
  readonly sessionId: number
  /** The queue of the topic that has it. */
  readonly queueId: number
  readonly messageCount: number
  /** Where the first message that is kept begins; undefined where its source did not say. */
  readonly startPosition: number | undefined
  /** Behind the last message. */
  readonly position: number
  /** When the first and the last message were recorded, in milliseconds. */
  readonly firstRecordedAt: number
  readonly lastRecordedAt: number
}

/**
 * A replayer of one recording.
 *
 * @category models
 * @since 0.1.0
 */
export interface Replayer {
  readonly topic: string
  /** What the recording has, by queue. */
  readonly sessions: Effect.Effect<ReadonlyArray<RecordedSession>, StoreError>
  /**
   * What was recorded, in the order in which it was; within a session in the order of its positions, each once. What is
   * read ahead of its consumer is one array for each session: a mebibyte of records for all of them, 16 KiB and one
   * message for each at least.
   */
  stream<G extends OnGap = "fail">(options: ReplayOptions<G>): Stream.Stream<Element<G>, StoreError>
  /** Replays payloads into a sink, such as that of a publication, and gives what the sink gives. */
  replayTo<A, L, E, R>(
    sink: Sink.Sink<A, Uint8Array, L, E, R>,
    options: ReplayOptions<"fail">
  ): Effect.Effect<A, StoreError | E, R>
  /** Replays payloads, array by array, by anything that takes them and waits, such as `publication.publishMany`. */
  replayTo<E, R>(
    offer: (payloads: ReadonlyArray<Uint8Array>) => Effect.Effect<unknown, E, R>,
    options: ReplayOptions<"fail">
  ): Effect.Effect<void, StoreError | E, R>
  /**
   * The recorded past and then the live stream: each message once, in the order of its session. The recording is to be
   * one of the same stream, and to go on. Ends when the live stream does and everything before its end was given.
   *
   * **Details**
   *
   * The live stream is pulled from the beginning, and what it gives waits until the recording has come to where it begins:
   * then the replay of that session ends. A live message that was replayed is left out, by its position. One that does not
   * fit is dropped only when the recording has it, and is read from there; so a consumer that is slower than the live
   * stream reads from the recording, and holds up nobody as long as the recorder keeps up. The live stream must give
   * messages that may be kept (`Subscription.messages`).
   */
  merge<E, R, G extends OnGap = "fail">(
    live: Stream.Stream<StreamMessage, E, R>,
    options: MergeOptions<G>
  ): Stream.Stream<Element<G>, StoreError | E, R>
}

type Offer<A, E, R> = (payloads: ReadonlyArray<Uint8Array>) => Effect.Effect<A, E, R>

/**
 * Makes a replayer of the recording in a topic. The store may be open read-only, beside the process that records.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (topic: string): Effect.Effect<Replayer, never, MessageStore> =>
  Effect.map(MessageStore, (store) => {
    // Elements that were not asked for never come.
    const stream = <G extends OnGap>(options: ReplayOptions<G>) =>
      replayStream.make(store, topic, options) as Stream.Stream<Element<G>, StoreError>
    return {
      topic,
      sessions: recordedSessions(store, topic),
      stream,
      replayTo: <A, L, E, R>(
        target: Sink.Sink<A, Uint8Array, L, E, R> | Offer<A, E, R>,
        options: ReplayOptions<"fail">
      ) => {
        const payloads = Stream.map(stream(options), ({ payload }) => payload)
        return Sink.isSink(target)
          ? Stream.run(payloads, target)
          : (Stream.runForEachArray(payloads, target) as Effect.Effect<never, StoreError | E, R>)
      },
      merge: <E, R, G extends OnGap>(live: Stream.Stream<StreamMessage, E, R>, options: MergeOptions<G>) =>
        replayMerge.make(store, topic, live, options) as Stream.Stream<Element<G>, StoreError | E, R>
    }
  })
