/**
 * A topic of typed values: a Sink to write to and a Stream to read from.
 *
 * **Details**
 *
 * A topic has a number of queues. Messages of one key go to one queue, and order is kept within a queue. The number of
 * queues is kept with the store.
 *
 * **Example** (Recording and replaying)
 *
 * ```ts
 * import { MessageStore, Topic } from "@millrace/store"
 * import { Effect, Schema, Stream } from "effect"
 *
 * const Trade = Schema.Struct({ symbol: Schema.String, price: Schema.Finite })
 *
 * const program = Effect.gen(function*() {
 *   const trades = yield* Topic.make("trades", { schema: Trade, key: (trade) => trade.symbol })
 *   yield* Stream.make({ symbol: "ABC", price: 1 }, { symbol: "XYZ", price: 2 }).pipe(Stream.run(trades.sink))
 *   const stored = yield* trades.stream({ from: "earliest", live: false }).pipe(Stream.runCollect)
 *   return stored.length
 * }).pipe(Effect.provide(MessageStore.layerMemory()))
 *
 * Effect.runPromise(program) // => 2
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Sink from "effect/Sink"
import type * as Stream from "effect/Stream"
import type { PlainSchema, Codec } from "./Codec.ts"
import * as codecs from "./Codec.ts"
import * as topicSink from "./internal/topicSink.ts"
import * as topicStream from "./internal/topicStream.ts"
import { MessageStore, type PutResult, type QueueType } from "./MessageStore.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * How a topic is made.
 *
 * @category models
 * @since 0.1.0
 */
export interface TopicOptions<A> {
  readonly schema: PlainSchema<A>
  /** The key of a value: it chooses the queue, and the index finds the message by it. Without one queues take turns. */
  readonly key?: ((value: A) => string) | undefined
  /** The tag of a value, which readers can filter by. */
  readonly tag?: ((value: A) => string) | undefined
  /** Number of queues. Default: what the store has for this topic, else 4. */
  readonly queues?: number | undefined
  /** What queues a topic that has none yet gets: `BatchCQ` takes inner batches as well. Default: what the store has, `SimpleCQ`. */
  readonly queueType?: QueueType | undefined
  /** How values become bodies. Default `Codec.json`. */
  readonly codec?: ((schema: PlainSchema<A>) => Codec<A>) | undefined
}

/**
 * Where a stream begins: at the first message kept, behind the last one, at a store time (milliseconds or a `Date`), or
 * at an offset for each queue (queues that are not named begin at 0). To resume, keep `queueOffset + 1` of the last
 * element of each queue.
 *
 * @category models
 * @since 0.1.0
 */
export type From = "earliest" | "latest" | number | Date | ReadonlyMap<number, number>

/**
 * What to do about a message that does not fit the schema: fail with `DecodeFailed`, leave it out, give it as an element
 * (`Undecoded`), or put it into another topic and go on. There it has the body that it had, and the properties
 * `DLQ_ORIGIN_TOPIC` and `DLQ_ORIGIN_MESSAGE_ID`; it is put once more when it is read once more.
 *
 * @category models
 * @since 0.1.0
 */
export type OnDecodeFailure = "fail" | "skip" | "element" | { readonly deadLetterTopic: string }

/**
 * What to do when messages were cleaned away before they were read: fail with `OffsetTooSmall`, or go on behind them with
 * one element in their place (`Gap`).
 *
 * @category models
 * @since 0.1.0
 */
export type OnTruncated = "fail" | "skip"

/**
 * How a topic is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamOptions<T extends OnTruncated = OnTruncated, D extends OnDecodeFailure = OnDecodeFailure> {
  readonly from: From
  /** `TagA || TagB`: only messages with one of these tags. */
  readonly tags?: string | undefined
  /** Only these queues. Default: all, and those that are made later. */
  readonly queues?: ReadonlyArray<number> | undefined
  /** False ends the stream at what was stored when it began. Default true: then live messages follow. */
  readonly live?: boolean | undefined
  /** Most elements of one array of the stream. Default 256. */
  readonly batchSize?: number | undefined
  /** Default `fail`. */
  readonly onDecodeFailure?: D | undefined
  /** Default `fail`. */
  readonly onTruncated?: T | undefined
}

/**
 * A value as it was read, with where it came from. Owned: it may be kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface TopicMessage<A> {
  readonly _tag: "Message"
  readonly value: A
  readonly queueId: number
  readonly queueOffset: number
  /** Position in the commit log. */
  readonly position: number
  readonly key: string | undefined
  readonly tag: string | undefined
  readonly storeTimestamp: number
}

/**
 * A message that does not fit the schema, with `onDecodeFailure: "element"`. Owned as well.
 *
 * @category models
 * @since 0.1.0
 */
export interface Undecoded {
  readonly _tag: "Undecoded"
  /** As it was stored. */
  readonly body: Uint8Array
  /** `DecodeFailed`, with what is wrong. */
  readonly error: StoreError
  readonly queueId: number
  readonly queueOffset: number
  readonly position: number
  readonly key: string | undefined
  readonly tag: string | undefined
  readonly storeTimestamp: number
}

/**
 * Messages that were cleaned away before they were read, with `onTruncated: "skip"`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Gap {
  readonly _tag: "Gap"
  readonly queueId: number
  /** Offset of the first one that is missing. */
  readonly fromOffset: number
  /** Offset behind the last one: the stream goes on here. */
  readonly toOffset: number
}

/**
 * The elements of a stream. What is not a message comes only where it was asked for.
 *
 * @category models
 * @since 0.1.0
 */
export type Element<A, T extends OnTruncated = OnTruncated, D extends OnDecodeFailure = OnDecodeFailure> =
  | TopicMessage<A>
  | ("skip" extends T ? Gap : never)
  | ("element" extends D ? Undecoded : never)

/**
 * A topic of values of type `A`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Topic<A> {
  readonly name: string
  readonly queueCount: number
  append(value: A): Effect.Effect<PutResult, StoreError>
  /** Appends values in one pass. */
  appendMany(values: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<PutResult>, StoreError>
  /** Stores what it is given, array by array, and waits for the store. */
  readonly sink: Sink.Sink<void, A, never, StoreError>
  /**
   * History, then live messages, with no gap and no duplicate; in order within each queue. What is read ahead of its
   * consumer is one array: a mebibyte of records, of which it unpacks four mebibytes of bodies and one more message at most.
   */
  stream<T extends OnTruncated = "fail", D extends OnDecodeFailure = "fail">(
    options: StreamOptions<T, D>
  ): Stream.Stream<Element<A, T, D>, StoreError>
  /** The offset of each queue that `from` stands for now: what a stream can begin with later. */
  seek(from: From): Effect.Effect<ReadonlyMap<number, number>, StoreError>
}

const QUEUE_COUNT_DEFAULT = 4

/**
 * Makes a topic, or opens one that is there. Its number of queues and their type are kept with the store.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <A>(name: string, options: TopicOptions<A>): Effect.Effect<Topic<A>, StoreError, MessageStore> =>
  Effect.gen(function* () {
    const store = yield* MessageStore
    const known = yield* store.topic(name)
    const queueCount = options.queues ?? known?.queueCount ?? Math.max(QUEUE_COUNT_DEFAULT, queuesOf(known))
    if (options.queueType !== undefined) {
      yield* store.setQueueType(name, options.queueType)
    }
    yield* store.setQueueCount(name, queueCount)
    const codec = (options.codec ?? codecs.json)(options.schema)
    const writer = topicSink.make(store, { ...options, name, queueCount, codec })
    return {
      name,
      queueCount,
      append: (value) => writer.append(value),
      appendMany: (values) => writer.appendMany(values),
      sink: writer.sink,
      // Elements that were not asked for never come.
      stream: <T extends OnTruncated, D extends OnDecodeFailure>(streamOptions: StreamOptions<T, D>) =>
        topicStream.make(store, name, codec, streamOptions) as Stream.Stream<Element<A, T, D>, StoreError>,
      seek: (from) => topicStream.seek(store, name, from)
    }
  })

const queuesOf = (topic: { readonly queues: ReadonlyArray<{ readonly queueId: number }> } | undefined): number =>
  Math.max(0, ...(topic?.queues ?? []).map((queue) => queue.queueId + 1))
