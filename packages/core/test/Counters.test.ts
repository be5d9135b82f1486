import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CoreError } from "../src/CoreError.ts"
import * as Counters from "../src/Counters.ts"
import * as Region from "../src/Region.ts"

const reasonOf = <A>(effect: Effect.Effect<A, CoreError>) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "millrace-counters-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("Counters", () => {
  it.effect("counts for as long as the scope of a counter lasts", () =>
    Effect.gen(function* () {
      const counters = yield* Counters.Counters
      yield* Effect.scoped(
        Effect.gen(function* () {
          const counter = yield* counters.allocate({
            typeId: 1000,
            label: "orders",
            key: Uint8Array.of(1),
            registrationId: 7n
          })
          assert.strictEqual(yield* counter.add(3n), 3n)
          assert.strictEqual(yield* counter.add(-5n), -2n)
          yield* counter.set(40n)
          counter.unsafe.addRelease(2)
          assert.strictEqual(yield* counter.get, 42n)
          const record = yield* counters.get(counter.id)
          assert.deepInclude(record, { typeId: 1000, label: "orders", registrationId: 7n, value: 42n })
          assert.deepStrictEqual(yield* counters.list, [record!])
          assert.deepStrictEqual(yield* counters.find(1000, 7n), record)
        })
      )
      assert.deepStrictEqual(yield* counters.list, [])
      assert.isUndefined(yield* counters.get(0))
      assert.isUndefined(yield* counters.get(99))
      assert.isUndefined(yield* counters.find(1000, 7n))
    }).pipe(Effect.provide(Counters.layerHeap({ capacity: 4 })))
  )

  it.effect("fails with CapacityExhausted when there is no room, until the reuse delay of a freed one is over", () =>
    Effect.gen(function* () {
      const counters = yield* Counters.heap("app", 2, { reuseTimeout: "10 seconds" })
      yield* counters.allocate({ typeId: 1, label: "kept" })
      yield* Effect.scoped(counters.allocate({ typeId: 1, label: "freed" }))
      const allocate = counters.allocate({ typeId: 1, label: "next" })
      assert.deepInclude(yield* reasonOf(Effect.scoped(allocate)), { _tag: "CapacityExhausted", capacity: 2 })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* allocate).id, 1)
    })
  )

  it.effect("shows its counters to whoever maps the file", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "counters")
      const written = yield* Layer.build(Counters.layerCreate({ path, capacity: 10 }))
      const read = yield* Layer.build(Counters.layerMap({ path }))
      const program = Effect.gen(function* () {
        const counters = yield* Counters.Counters
        const reader = yield* Counters.CountersReader
        assert.strictEqual(reader.capacity, 10)
        const counter = yield* counters.allocate({ typeId: 5, label: "größe" })
        yield* counter.add(9n)
        assert.deepStrictEqual(yield* reader.list, yield* counters.list)
      })
      yield* program.pipe(Effect.provideContext(written), Effect.provideContext(read))
    })
  )

  it.effect("watches the list at an interval", () =>
    Effect.gen(function* () {
      const counters = yield* Counters.heap("app", 2)
      const counter = yield* counters.allocate({ typeId: 1, label: "ticks" })
      const watching = yield* counters.watch("5 seconds").pipe(
        Stream.map(([first]) => first?.value),
        Stream.take(3),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true })
      )
      yield* counter.add(1n)
      yield* TestClock.adjust("5 seconds")
      yield* counter.add(1n)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(watching), [0n, 1n, 2n])
    })
  )

  it.effect("refuses a region that is not a multiple of a counter", () =>
    Effect.gen(function* () {
      const region = yield* Region.heap("counters", 641)
      assert.strictEqual((yield* reasonOf(Counters.make(region)))._tag, "InvalidFormat")
      assert.strictEqual((yield* reasonOf(Effect.scoped(Counters.heap("counters", 0))))._tag, "InvalidFormat")
    })
  )

  it.effect("fails with Closed after its scope has ended, and frees nothing then", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const counters = yield* Counters.heap("app", 2).pipe(Scope.provide(scope))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const counter = yield* counters.allocate({ typeId: 1, label: "a" })
          yield* Scope.close(scope, Exit.void)
          const uses: ReadonlyArray<Effect.Effect<unknown, CoreError>> = [
            counter.get,
            counter.set(1n),
            counter.add(1n),
            counters.list,
            counters.get(0),
            counters.find(1, 0n),
            Effect.scoped(counters.allocate({ typeId: 1, label: "b" })),
            Stream.runDrain(counters.watch())
          ]
          for (const use of uses) {
            assert.strictEqual((yield* reasonOf(use))._tag, "Closed")
          }
        })
      )
    })
  )
})
