import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Counters from "../src/Counters.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import * as TransportMetrics from "../src/TransportMetrics.ts"
import { embedded, until } from "./fixtures/embedded.ts"

const ipc = { channel: "aeron:ipc", streamId: 1001, linger: 0 } as const

const layer = TransportMetrics.layer({ refreshInterval: "5 millis" }).pipe(
  Layer.provideMerge(Counters.layer),
  Layer.provideMerge(embedded())
)

const aeron = Effect.map(Metric.snapshot, (metrics) => metrics.filter(({ id }) => id.startsWith("aeron_")))

const named = (id: string, attributes: Record<string, string> = {}) =>
  Effect.map(aeron, (metrics) =>
    metrics.filter(
      (metric) =>
        metric.id === id && Object.entries(attributes).every(([name, value]) => metric.attributes?.[name] === value)
    )
  )

const withRegistry = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

describe("TransportMetrics", () => {
  it.live("has every system counter, counts as counters and states as gauges", () =>
    withRegistry(
      Effect.gen(function* () {
        const [sent] = yield* named("aeron_bytes_sent")
        assert.strictEqual(sent!.type, "Counter")
        assert.deepInclude(sent!.state, { count: 0, incremental: true })
        const [mapped] = yield* named("aeron_bytes_currently_mapped")
        assert.strictEqual(mapped!.type, "Gauge")
        assert.strictEqual((yield* named("aeron_sender_flow_control_limits")).length, 1)
      }).pipe(Effect.provide(layer))
    )
  )

  it.live("reads a position when it is asked for, and forgets it with its stream", () =>
    withRegistry(
      Effect.gen(function* () {
        const attributes = { stream_id: "1001", channel: "aeron:ipc" }
        const subscribed = named("aeron_sub_pos", attributes)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const subscription = yield* Subscription.make(ipc)
            const publication = yield* Publication.make(ipc)
            yield* until(publication.isConnected)
            yield* until(Effect.map(subscribed, ({ length }) => length === 1))
            const [before] = yield* subscribed
            assert.deepStrictEqual(before!.state, { value: 0 })
            assert.strictEqual(before!.attributes!["session_id"], String(publication.sessionId))
            yield* publication.publish(new Uint8Array(100))
            yield* until(
              Effect.map(
                subscription.poll(() => {}, 1),
                (count) => count === 1
              )
            )
            const [after] = yield* subscribed
            assert.deepStrictEqual(after!.state, { value: 160 })
          })
        )
        yield* until(Effect.map(subscribed, ({ length }) => length === 0))
      }).pipe(Effect.provide(layer))
    )
  )

  it.live("has the counters of programs, and nothing after its scope", () => {
    const registry: Metric.MetricRegistry = new Map()
    return Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const counters = yield* Counters.Counters
        const orders = yield* counters.add({ typeId: 1001, label: "orders" })
        yield* orders.set(12n)
        const found = named("aeron_counter", { label: "orders", type_id: "1001" })
        yield* until(Effect.map(found, ({ length }) => length === 1))
        assert.deepStrictEqual((yield* found)[0]!.state, { value: 12 })
      }).pipe(Effect.scoped, Effect.provide(layer))
      assert.strictEqual((yield* aeron).length, 0)
    }).pipe(Effect.provideService(Metric.MetricRegistry, registry))
  })
})
