/**
 * The reading half of a topic. One position a queue; each pull gives the next array of some queue, in turn. Where all
 * queues are at their end it waits for an arrival: checking and waiting are one step, so nothing slips in between.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { Codec } from "../Codec.ts"
import type { GetResult, MessageStore, TopicInfo } from "../MessageStore.ts"
import { OffsetTooLarge, OffsetTooSmall, StoreError } from "../StoreError.ts"
import type { Element, From, Gap, StreamOptions } from "../Topic.ts"
import { attempt } from "./storeSteps.ts"
import * as topicDecode from "./topicDecode.ts"

type Store = MessageStore["Service"]

const BATCH_COUNT_DEFAULT = 256
const BATCH_BYTES_MAX = 1024 * 1024

export const make = <A>(
  store: Store,
  topic: string,
  codec: Codec<A>,
  options: StreamOptions
): Stream.Stream<Element<A>, StoreError> =>
  Stream.fromPull(
    Effect.map(start(store, topic, options), (reader) => new TopicReader(store, topic, codec, options, reader).pull)
  )

export const seek = Effect.fnUntraced(function* (store: Store, topic: string, from: From) {
  const offsets: ReadonlyMap<number, number> = (yield* start(store, topic, { from })).offsets
  return offsets
})

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
  readonly pull: Pull.Pull<readonly [Element<A>, ...Array<Element<A>>], StoreError>
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
        return elements as unknown as readonly [Element<A>, ...Array<Element<A>>]
      }
    }
    return undefined
  })

  readonly #nextOf = Effect.fnUntraced({ self: this }, function* (queueId: number) {
    const end = this.#ends?.get(queueId) ?? Number.POSITIVE_INFINITY
    let gap = undefined as Gap | undefined
    for (;;) {
      const offset = this.#offsets.get(queueId)!
      if (offset >= end) {
        return gapElements(gap)
      }
      const result = yield* this.#store.get({
        topic: this.#topic,
        queueId,
        offset,
        maxCount: Math.min(this.#options.batchSize ?? BATCH_COUNT_DEFAULT, end - offset),
        maxBytes: BATCH_BYTES_MAX,
        tags: this.#options.tags
      })
      const outcome = outcomeOf(result, offset)
      if (outcome === "end") {
        return gapElements(gap)
      }
      if (outcome === "behind") {
        const reason = new OffsetTooLarge({ topic: this.#topic, queueId, offset, max: result.maxOffset })
        return yield* Effect.fail(new StoreError({ reason }))
      }
      if (outcome === "truncated") {
        gap = { _tag: "Gap", queueId, fromOffset: gap?.fromOffset ?? offset, toOffset: result.nextOffset }
        yield* this.#skip(queueId, offset, result)
        continue
      }
      const elements = yield* this.#decode(queueId, result, end)
      if (elements.length > 0 || gap !== undefined) {
        return [...gapElements(gap), ...elements]
      }
    }
  })

  /** Moves on behind what was cleaned away, where that is wanted. */
  #skip(queueId: number, offset: number, { minOffset, nextOffset }: GetResult): Effect.Effect<void, StoreError> {
    if (this.#options.onTruncated !== "skip") {
      const min = Math.max(minOffset, nextOffset)
      return Effect.fail(new StoreError({ reason: new OffsetTooSmall({ topic: this.#topic, queueId, offset, min }) }))
    }
    this.#offsets.set(queueId, nextOffset)
    return Effect.void
  }

  readonly #decode = Effect.fnUntraced({ self: this }, function* (queueId: number, result: GetResult, end: number) {
    const { onDecodeFailure = "fail" } = this.#options
    const { dead, elements, leftAt } = yield* attempt(() =>
      topicDecode.decode(this.#codec, result.messages, end, onDecodeFailure)
    )
    if (dead.length > 0) {
      yield* this.#store.putMany(dead)
    }
    this.#offsets.set(queueId, leftAt ?? result.nextOffset)
    return elements
  })

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

const gapElements = (gap: Gap | undefined): ReadonlyArray<Gap> => (gap === undefined ? [] : [gap])

/** What an answer means to who reads a queue from its beginning to its end. */
const outcomeOf = ({ maxOffset, status }: GetResult, offset: number): "found" | "end" | "behind" | "truncated" => {
  if (status === "FOUND" || status === "NO_MATCHED_MESSAGE") {
    return "found"
  }
  if (status === "OFFSET_OVERFLOW_ONE" || (status === "NO_MESSAGE_IN_QUEUE" && offset === maxOffset)) {
    return "end"
  }
  return offset > maxOffset ? "behind" : "truncated"
}
