import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import * as Counters from "../src/Counters.ts"
import * as Inspector from "../src/Inspector.ts"
import { embedded, reasonOf, until } from "./fixtures/embedded.ts"

const TYPE_ID = 1001

const layer = Counters.layer.pipe(Layer.provideMerge(embedded()))

describe("Counters", () => {
  it.live("adds a counter that tools see, until its scope ends", () =>
    Effect.gen(function* () {
      const counters = yield* Counters.Counters
      const { directory } = yield* Client.Client
      const inspector = yield* Inspector.open({ directory })
      const ended = yield* Effect.scoped(
        Effect.gen(function* () {
          const counter = yield* counters.add({ typeId: TYPE_ID, label: "orders", key: Uint8Array.of(7) })
          yield* counter.set(40n)
          assert.strictEqual(yield* counter.add(2n), 42n)
          assert.strictEqual(yield* counter.get, 42n)
          const [found] = yield* counters.find(TYPE_ID, counter.registrationId)
          assert.strictEqual(found!.id, counter.counterId)
          const seen = (yield* inspector.counters).find(({ typeId }) => typeId === TYPE_ID)
          assert.deepInclude(seen, { label: "orders", value: 42n, registrationId: counter.registrationId })
          return counter
        })
      )
      yield* until(Effect.map(counters.find(TYPE_ID), ({ length }) => length === 0))
      for (const use of [ended.set(1n), ended.add(1n)]) {
        const reason = yield* reasonOf<unknown, never>(use)
        assert(reason._tag === "Closed")
        assert.include(reason.message, "orders")
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("keeps a static counter for whoever names it next", () =>
    Effect.gen(function* () {
      const counters = yield* Counters.Counters
      const options = { typeId: TYPE_ID, registrationId: 5n, label: "static" }
      const id = yield* Effect.scoped(
        Effect.flatMap(counters.addStatic(options), (counter) => Effect.as(counter.set(3n), counter.counterId))
      )
      const again = yield* counters.addStatic(options)
      assert.strictEqual(again.counterId, id)
      assert.strictEqual(yield* again.get, 3n)
      assert.strictEqual(again.registrationId, 5n)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("tells of counters that come and go", () =>
    Effect.gen(function* () {
      const counters = yield* Counters.Counters
      const events: Array<Counters.CounterEvent> = []
      yield* Stream.runForEach(counters.events, (event) => Effect.sync(() => events.push(event))).pipe(
        Effect.forkScoped({ startImmediately: true })
      )
      const { counterId, registrationId } = yield* Effect.scoped(counters.add({ typeId: TYPE_ID, label: "short" }))
      const own = () => events.filter((event) => event.registrationId === registrationId)
      yield* until(Effect.sync(() => own().length === 2))
      assert.deepStrictEqual(own(), [
        { _tag: "Available", registrationId, counterId },
        { _tag: "Unavailable", registrationId, counterId }
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("refuses what no counter can be, naming the limit", () =>
    Effect.gen(function* () {
      const { add } = yield* Counters.Counters
      for (const [option, given] of [
        ["typeId", { typeId: 1.5, label: "" }],
        ["key", { typeId: TYPE_ID, label: "", key: new Uint8Array(113) }],
        ["label", { typeId: TYPE_ID, label: "é".repeat(191) }]
      ] as const) {
        const reason = yield* reasonOf(add(given))
        assert(reason._tag === "InvalidOption")
        assert.strictEqual(reason.option, option)
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("lists all counters again and again", () =>
    Effect.gen(function* () {
      const { watch } = yield* Counters.Counters
      const lists = yield* Stream.runCollect(Stream.take(watch("1 millis"), 3))
      assert.strictEqual(lists.length, 3)
      assert.strictEqual(lists[0]![0]!.label, "Bytes sent")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
