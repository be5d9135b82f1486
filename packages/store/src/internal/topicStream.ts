/**
 * The reading half of a topic. One position a queue; each pull gives the next array of some queue, in turn. Where all
 * queues are at their end it waits for an arrival: checking and waiting are one step, so nothing slips in between.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { Codec } from "../Codec.ts"
import type { StoredMessage } from "../Message.ts"
import type { GetResult, MessageStore, TopicInfo } from "../MessageStore.ts"
import { DecodeFailed, OffsetTooLarge, OffsetTooSmall, StoreError } from "../StoreError.ts"
import type { From, StreamOptions, TopicMessage } from "../Topic.ts"
import * as bodyCompression from "./bodyCompression.ts"
import { detailOf } from "./topicSink.ts"

type Store = MessageStore["Service"]

const BATCH_COUNT_DEFAULT = 256
const BATCH_BYTES_MAX = 1024 * 1024

export const make = <A>(
  store: Store,
  topic: string,
  codec: Codec<A>,
  options: StreamOptions
): Stream.Stream<TopicMessage<A>, StoreError> =>
  Stream.fromPull(
    Effect.map(start(store, topic, options), (reader) => new TopicReader(store, topic, codec, options, reader).pull)
  )

interface Start {
  /** Next offset of each queue. */
  readonly offsets: Map<number, number>
  /** Offsets to end at; undefined for a stream that goes on. */
  readonly ends: ReadonlyMap<number, number> | undefined
}

const start = Effect.fnUntraced(function* (store: Store, topic: string, options: StreamOptions) {
  const info = yield* store.topic(topic)
  const offsets = new Map<number, number>()
  const ends = new Map<number, number>()
  for (const queue of selected(info, options)) {
    offsets.set(queue.queueId, yield* startOffset(store, topic, queue, options.from))
    ends.set(queue.queueId, queue.nextOffset)
  }
  const result: Start = { offsets, ends: options.live === false ? ends : undefined }
  return result
})

const selected = (info: TopicInfo | undefined, { queues }: StreamOptions): TopicInfo["queues"] =>
  (info?.queues ?? []).filter((queue) => queues === undefined || queues.includes(queue.queueId))

const startOffset = (
  store: Store,
  topic: string,
  { minOffset, nextOffset, queueId }: TopicInfo["queues"][number],
  from: From
): Effect.Effect<number, StoreError> => {
  if (from === "earliest") {
    return Effect.succeed(minOffset)
  }
  if (from === "latest") {
    return Effect.succeed(nextOffset)
  }
  if (typeof from === "number" || from instanceof Date) {
    const found = store.offsetByTime({ topic, queueId, timeMs: Number(from) })
    return Effect.map(found, (offset) => offset ?? minOffset)
  }
  return Effect.succeed(from.get(queueId) ?? 0)
}

class TopicReader<A> {
  readonly pull: Pull.Pull<readonly [TopicMessage<A>, ...Array<TopicMessage<A>>], StoreError>
  readonly #store: Store
  readonly #topic: string
  readonly #codec: Codec<A>
  readonly #options: StreamOptions
  readonly #offsets: Map<number, number>
  readonly #ends: ReadonlyMap<number, number> | undefined
  /** Queues by turn: the one that gave last is asked last. */
  readonly #turns: Array<number>

  constructor(store: Store, topic: string, codec: Codec<A>, options: StreamOptions, { ends, offsets }: Start) {
    this.#store = store
    this.#topic = topic
    this.#codec = codec
    this.#options = options
    this.#offsets = offsets
    this.#ends = ends
    this.#turns = [...offsets.keys()]
    this.pull = Effect.gen({ self: this }, function* () {
      for (;;) {
        const elements = yield* this.#next()
        if (elements !== undefined) {
          return elements
        }
        if (this.#ends !== undefined && this.#isAtEnds(this.#ends)) {
          return yield* Cause.done()
        }
        yield* this.#awaitMore()
      }
    })
  }

  /** What was stored when the stream began but is not dispatched yet (or not on the device) is waited for. */
  #isAtEnds(ends: ReadonlyMap<number, number>): boolean {
    return this.#turns.every((queueId) => this.#offsets.get(queueId)! >= (ends.get(queueId) ?? 0))
  }

  /** The next elements of the queues in turn, or undefined where all are at their end. */
  readonly #next = Effect.fnUntraced({ self: this }, function* () {
    for (let count = this.#turns.length; count > 0; count--) {
      const queueId = this.#turns.shift()!
      this.#turns.push(queueId)
      const elements = yield* this.#nextOf(queueId)
      if (elements.length > 0) {
        return elements as unknown as readonly [TopicMessage<A>, ...Array<TopicMessage<A>>]
      }
    }
    return undefined
  })

  readonly #nextOf = Effect.fnUntraced({ self: this }, function* (queueId: number) {
    const end = this.#ends?.get(queueId) ?? Number.POSITIVE_INFINITY
    for (;;) {
      const offset = this.#offsets.get(queueId)!
      if (offset >= end) {
        return []
      }
      const result = yield* this.#store.get({
        topic: this.#topic,
        queueId,
        offset,
        maxCount: Math.min(this.#options.batchSize ?? BATCH_COUNT_DEFAULT, end - offset),
        maxBytes: BATCH_BYTES_MAX,
        tags: this.#options.tags
      })
      if (result.status === "FOUND") {
        this.#offsets.set(queueId, result.nextOffset)
        const elements = yield* this.#decode(result.messages, end)
        if (elements.length > 0) {
          return elements
        }
      } else if (!(yield* this.#step(queueId, offset, result))) {
        return []
      }
    }
  })

  /** Moves on where nothing was found. False at the end of the queue. */
  #step(queueId: number, offset: number, result: GetResult): Effect.Effect<boolean, StoreError> {
    const topic = this.#topic
    const { maxOffset: max, minOffset, nextOffset, status } = result
    if (status === "OFFSET_OVERFLOW_ONE" || (status === "NO_MESSAGE_IN_QUEUE" && offset === max)) {
      return Effect.succeed(false)
    }
    if (offset > max) {
      return Effect.fail(new StoreError({ reason: new OffsetTooLarge({ topic, queueId, offset, max }) }))
    }
    if (status !== "NO_MATCHED_MESSAGE" && this.#options.onTruncated !== "skip") {
      const min = Math.max(minOffset, nextOffset)
      return Effect.fail(new StoreError({ reason: new OffsetTooSmall({ topic, queueId, offset, min }) }))
    }
    this.#offsets.set(queueId, nextOffset)
    return Effect.succeed(true)
  }

  #decode(messages: ReadonlyArray<StoredMessage>, end: number): Effect.Effect<Array<TopicMessage<A>>, StoreError> {
    return Effect.suspend(() => {
      const elements: Array<TopicMessage<A>> = []
      for (const message of messages) {
        const { queueId, queueOffset } = message
        if (queueOffset >= end) {
          break
        }
        try {
          elements.push({
            value: this.#codec.decode(bodyCompression.decompress(message.body, message.sysFlag)),
            queueId,
            queueOffset,
            position: message.position,
            key: message.keys,
            tag: message.tags,
            storeTimestamp: message.storeTimestamp
          })
        } catch (error) {
          if (this.#options.onDecodeFailure !== "skip") {
            const { position } = message
            const detail = detailOf(error)
            return Effect.fail(
              new StoreError({
                reason: new DecodeFailed({ topic: this.#topic, queueId, queueOffset, position, detail })
              })
            )
          }
        }
      }
      return Effect.succeed(elements)
    })
  }

  /** Waits for a message behind what was read, in these queues or in one that is new. */
  readonly #awaitMore = Effect.fnUntraced({ self: this }, function* () {
    yield* this.#store.awaitMessages(this.#topic, this.#offsets, { newQueues: this.#options.queues === undefined })
    const info = yield* this.#store.topic(this.#topic)
    for (const { queueId } of selected(info, this.#options)) {
      if (!this.#offsets.has(queueId)) {
        this.#offsets.set(queueId, 0)
        this.#turns.push(queueId)
      }
    }
  })
}
