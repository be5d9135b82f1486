import { clock } from "@millrace/core/AgentRunner"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { StoreRuntime } from "../../src/internal/storeRuntime.ts"
import { SimulatedDisk } from "../../src/mapped/SimulatedDisk.ts"
import { options, randomOf } from "../fixtures/SimulatedStore.ts"

const message = { topic: "topic", queueId: 0, body: new Uint8Array(10) }

/** A service over a disk whose slow operations end when they are let. */
const open = Effect.gen(function* () {
  const held: Array<() => void> = []
  let isHolding = false
  const later = (run: () => void) => void (isHolding ? held.push(run) : setImmediate(run))
  const disk = new SimulatedDisk({ random: randomOf(1), later, capacityBytes: 1 << 24 })
  const letGo = Effect.sync(() => {
    isHolding = false
    held.splice(0).forEach((run) => run())
  })
  const hold = Effect.sync(() => {
    isHolding = true
  })
  const runtime = yield* Effect.acquireRelease(
    StoreRuntime.open(disk, { ...options, flushDiskType: "SYNC_FLUSH", syncFlushTimeout: 500 }, clock, ""),
    (opened) => Effect.andThen(letGo, opened.close())
  )
  return { hold, letGo, store: runtime.service }
})

describe("a put that waits for the device", () => {
  it.effect("ends when its time is over with the message in memory, where it stays", () =>
    Effect.gen(function* () {
      const { hold, letGo, store } = yield* open
      yield* hold
      const waiting = yield* Effect.forkChild(store.put(message), { startImmediately: true })
      yield* TestClock.adjust("499 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const late = yield* Fiber.join(waiting)
      assert.deepInclude({ ...late }, { status: "FLUSH_DISK_TIMEOUT", durability: "memory", queueOffset: 0 })
      yield* letGo
      yield* store.flush
      assert.deepInclude({ ...(yield* store.put(message)) }, { status: "PUT_OK", durability: "disk", queueOffset: 1 })
      yield* store.awaitMessages("topic", new Map([[0, 1]]))
      assert.strictEqual((yield* store.get({ topic: "topic", queueId: 0, offset: 0 })).messages.length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves its message in the store when it is interrupted", () =>
    Effect.gen(function* () {
      const { hold, letGo, store } = yield* open
      yield* hold
      const waiting = yield* Effect.forkChild(store.put(message), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* letGo
      yield* store.flush
      yield* store.awaitMessages("topic", new Map([[0, 0]]))
      const { messages } = yield* store.get({ topic: "topic", queueId: 0, offset: 0 })
      assert.deepStrictEqual(
        messages.map(({ queueOffset }) => queueOffset),
        [0]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("does not keep one that need not wait, and counts neither as refused", () =>
    Effect.gen(function* () {
      const { hold, letGo, store } = yield* open
      yield* hold
      const result = yield* store.put({ ...message, wait: false })
      assert.deepInclude({ ...result }, { status: "PUT_OK", durability: "memory" })
      assert.strictEqual(store.figuresUnsafe().refusalCounts.size, 0)
      yield* letGo
    }).pipe(Effect.scoped)
  )
})
