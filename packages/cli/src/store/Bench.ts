/** Measures a store: puts until everything is acknowledged and dispatched, or reads, or queries by key. */
import * as MessageStore from "@millrace/store/MessageStore"
import type { StoreError } from "@millrace/store/StoreError"
import * as Effect from "effect/Effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

export interface Load {
  /** Length of each body. */
  readonly length: number
  readonly messages: number
  readonly producers: number
  /** Messages a put; 1 for single puts. */
  readonly batch: number
}

/** What was measured. A latency is that of one call, whatever number of messages it has moved. */
export interface Measured {
  readonly messagesPerSecond: number
  /** Of bodies. */
  readonly bytesPerSecond: number
  readonly p50Us: number
  readonly p99Us: number
  readonly eventLoopDelayP99Us: number
}

export const TOPIC = "bench"
const QUEUES = 4
const TAGS = 10
/** Messages of one read: RocketMQ's usual number. */
const READ_COUNT = 32
/** Latencies that are kept; of more calls every n-th one. */
const LATENCIES_MAX = 1_000_000
const NS_PER_US = 1000
const NS_PER_SECOND = 1e9

/** Keys and tags are as usual messages have them; bodies are zeros. */
const messageOf = (number: number, body: Uint8Array) => ({
  topic: TOPIC,
  queueId: number % QUEUES,
  body,
  keys: `key${number}`,
  tags: `tag${number % TAGS}`
})

class Latencies {
  readonly #values: Float64Array
  readonly #every: number
  #calls = 0
  #count = 0

  constructor(calls: number) {
    this.#every = Math.ceil(Math.max(1, calls) / LATENCIES_MAX)
    this.#values = new Float64Array(Math.ceil(Math.max(1, calls) / this.#every))
  }

  note(ns: number): void {
    if (this.#calls++ % this.#every === 0 && this.#count < this.#values.length) {
      this.#values[this.#count++] = ns
    }
  }

  quantileUs(quantile: number): number {
    const sorted = this.#values.slice(0, this.#count).toSorted()
    const index = Math.min(this.#count - 1, Math.floor(this.#count * quantile))
    return this.#count === 0 ? 0 : Math.round((sorted[index]! / NS_PER_US) * 10) / 10
  }
}

type OnCall = (messages: number) => Effect.Effect<void>

interface Timed {
  /** Runs `call` and notes how long it took. */
  readonly time: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

const nowNs = (): number => Number(process.hrtime.bigint())

/** Measures a body that says itself how many messages it has moved. */
const measure = Effect.fnUntraced(function* <E>(
  calls: number,
  length: number,
  body: (timed: Timed) => Effect.Effect<number, E>
): Effect.fn.Return<Measured, E> {
  const latencies = new Latencies(calls)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const time: Timed["time"] = (call) =>
    Effect.suspend(() => {
      const start = nowNs()
      return Effect.map(call, (answer) => {
        latencies.note(nowNs() - start)
        return answer
      })
    })
  delay.enable()
  const start = nowNs()
  const messages = yield* body({ time })
  const seconds = (nowNs() - start) / NS_PER_SECOND
  delay.disable()
  return {
    messagesPerSecond: Math.round(messages / seconds),
    bytesPerSecond: Math.round((messages * length) / seconds),
    p50Us: latencies.quantileUs(0.5),
    p99Us: latencies.quantileUs(0.99),
    eventLoopDelayP99Us: Math.round(delay.percentile(99) / NS_PER_US)
  }
})

/** The clock stops when everything is acknowledged, and in its queue and the index. */
export const puts = (load: Load, onCall: OnCall): Effect.Effect<Measured, StoreError, MessageStore.MessageStore> =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    const body = new Uint8Array(load.length)
    let next = 0
    const putNext = Effect.suspend(() => {
      const from = next
      next = Math.min(load.messages, from + load.batch)
      const messages = Array.from({ length: next - from }, (_, index) => messageOf(from + index, body))
      const put = load.batch === 1 ? Effect.asVoid(store.put(messages[0]!)) : Effect.asVoid(store.putMany(messages))
      return Effect.as(put, messages.length)
    })
    return yield* measure(Math.ceil(load.messages / load.batch), load.length, ({ time }) =>
      Effect.gen(function* () {
        const producer = Effect.gen(function* () {
          while (next < load.messages) {
            yield* onCall(yield* time(putNext))
          }
        })
        yield* Effect.all(
          Array.from({ length: load.producers }, () => producer),
          {
            concurrency: "unbounded",
            discard: true
          }
        )
        yield* dispatched(store)
        return load.messages
      })
    )
  })

const dispatched = Effect.fnUntraced(function* (store: MessageStore.MessageStore["Service"]) {
  for (;;) {
    const { dispatchedPosition, maxPosition } = yield* store.status
    if (dispatchedPosition >= maxPosition) {
      return
    }
    yield* Effect.yieldNow
  }
})

/** Reads all queues of the topic from their beginning to their end. */
export const reads = (load: Load, onCall: OnCall): Effect.Effect<Measured, StoreError, MessageStore.MessageStore> =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    const queues = (yield* store.topic(TOPIC))?.queues ?? []
    return yield* measure(Math.ceil(load.messages / READ_COUNT), load.length, ({ time }) =>
      Effect.gen(function* () {
        let count = 0
        for (const { maxOffset, minOffset, queueId } of queues) {
          for (let offset = minOffset; offset < maxOffset && count < load.messages;) {
            const request = { topic: TOPIC, queueId, offset, maxCount: READ_COUNT }
            const { messages, nextOffset } = yield* time(store.get(request))
            count += messages.length
            offset = nextOffset
            yield* onCall(messages.length)
          }
        }
        return count
      })
    )
  })

/** Asks for one key after the other, in an order that leaps about in the log. */
export const queries = (load: Load, onCall: OnCall): Effect.Effect<Measured, StoreError, MessageStore.MessageStore> =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    // A step without a common factor comes by every key once.
    const step = 7919
    return yield* measure(load.messages, load.length, ({ time }) =>
      Effect.gen(function* () {
        let count = 0
        for (let query = 0; query < load.messages; query++) {
          const number = (query * step) % load.messages
          const found = yield* time(store.query({ topic: TOPIC, key: `key${number}`, maxCount: 1 }))
          count += found.length
          yield* onCall(1)
        }
        return count
      })
    )
  })
