import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MessageStore from "../src/MessageStore.ts"
import * as StoreMetrics from "../src/StoreMetrics.ts"

const layer = StoreMetrics.layer.pipe(Layer.provideMerge(MessageStore.layerMemory({ maxMessageSize: 100 })))

const message = { topic: "topic", queueId: 0, body: new Uint8Array(10) }

const stateOf = (name: string, attributes: Record<string, string> = {}) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const [found, ...others] = metrics.filter(
      ({ attributes: its, id }) =>
        id === name && Object.entries(attributes).every(([key, value]) => its?.[key] === value)
    )
    assert.strictEqual(others.length, 0)
    return found?.state
  })

const withRegistry = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

describe("StoreMetrics", () => {
  it.effect("counts messages and bytes put and read, and refusals by their reason", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      yield* store.putMany([message, message, message])
      yield* store.get({ topic: "topic", queueId: 0, offset: 1 })
      yield* Effect.flip(store.put({ ...message, body: new Uint8Array(101) }))
      const { maxPosition } = yield* store.status
      assert.deepStrictEqual(yield* stateOf("rocketmq_messages_in_total"), { count: 3, incremental: true })
      assert.deepStrictEqual(yield* stateOf("rocketmq_throughput_in_total"), { count: maxPosition, incremental: true })
      assert.deepStrictEqual(yield* stateOf("rocketmq_messages_out_total"), { count: 2, incremental: true })
      assert.deepStrictEqual(yield* stateOf("rocketmq_throughput_out_total"), {
        count: (maxPosition / 3) * 2,
        incremental: true
      })
      const refusals = (reason: string) => stateOf("rocketmq_put_refusals_total", { reason })
      assert.deepStrictEqual(yield* refusals("MessageIllegal"), { count: 1, incremental: true })
      assert.deepStrictEqual(yield* refusals("OutOfSpace"), { count: 0, incremental: true })
    }).pipe(Effect.provide(layer), withRegistry)
  )

  it.effect("shows what is dirty and not dispatched at the moment it is asked, and changes nothing by that", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      yield* store.put(message)
      // The agents have not had a turn since.
      const { maxPosition: length } = store.figuresUnsafe()
      for (let times = 0; times < 2; times++) {
        assert.deepStrictEqual(yield* stateOf("rocketmq_storage_dispatch_behind_bytes"), { value: length })
        assert.deepStrictEqual(yield* stateOf("rocketmq_storage_flush_behind_bytes"), { value: length })
      }
      yield* store.flush
      yield* store.awaitMessages("topic", new Map([[0, 0]]))
      assert.deepStrictEqual(yield* stateOf("rocketmq_storage_dispatch_behind_bytes"), { value: 0 })
      assert.deepStrictEqual(yield* stateOf("rocketmq_storage_flush_behind_bytes"), { value: 0 })
    }).pipe(Effect.provide(layer), withRegistry)
  )

  it.effect("has each sync in one class of the flush times", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      for (let times = 0; times < 3; times++) {
        yield* store.put(message)
        yield* store.flush
      }
      const state = (yield* stateOf("rocketmq_storage_flush_latency")) as Metric.HistogramState
      assert.isAtLeast(state.count, 3)
      assert.isAtLeast(state.max, state.min)
      assert.isAtLeast(state.sum, state.max)
      const counts = state.buckets.map(([, count]) => count)
      assert.deepStrictEqual(
        counts,
        counts.toSorted((a, b) => a - b)
      )
      assert.isAtMost(counts.at(-1)!, state.count)
    }).pipe(Effect.provide(layer), withRegistry)
  )

  it.effect("counts readers that wait, and no longer when they have what they waited for", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      const reader = yield* Effect.forkChild(store.awaitMessages("topic", new Map([[0, 0]])))
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* stateOf("rocketmq_waiting_readers"), { value: 1 })
      yield* store.put(message)
      yield* Fiber.join(reader)
      assert.deepStrictEqual(yield* stateOf("rocketmq_waiting_readers"), { value: 0 })
    }).pipe(Effect.provide(layer), withRegistry)
  )

  it.effect("are gone with their scope, and say of which store they are", () => {
    const registry: Metric.MetricRegistry = new Map()
    return Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const { directory } = yield* MessageStore.MessageStore
        assert.deepStrictEqual(yield* stateOf("rocketmq_storage_writeable", { directory }), { value: 1 })
      }).pipe(Effect.scoped, Effect.provide(layer))
      assert.isUndefined(yield* stateOf("rocketmq_storage_writeable"))
    }).pipe(Effect.provideService(Metric.MetricRegistry, registry))
  })
})
