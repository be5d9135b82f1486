import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Message from "../../src/Message.ts"
import * as MessageStore from "../../src/MessageStore.ts"
import { LOOP_LENGTH_MAX } from "../../src/internal/putCompression.ts"
import { PutOrder } from "../../src/internal/putOrder.ts"

const message = (queueId: number) => ({ topic: "topic", queueId, body: new Uint8Array(1) })

/** Puts by name that are prepared when they are let, and what was stored so far. */
const puts = () => {
  const order = new PutOrder()
  const stored: Array<string> = []
  const put = Effect.fnUntraced(function* (name: string, ...queues: ReadonlyArray<number>) {
    const prepared = Deferred.makeUnsafe<void>()
    const fiber = yield* Effect.forkChild(
      order.inTurn(queues.map(message), Deferred.await(prepared), () => Effect.sync(() => stored.push(name))),
      { startImmediately: true }
    )
    return { fiber, letGo: Deferred.succeed(prepared, undefined) }
  })
  return { order, put, stored }
}

describe("PutOrder", () => {
  it.effect("stores puts of one queue as they were called, and lets those of others pass", () =>
    Effect.gen(function* () {
      const { order, put, stored } = puts()
      const slow = yield* put("slow", 0)
      const next = yield* put("next", 0, 1)
      const other = yield* put("other", 2)
      const last = yield* put("last", 1)
      for (const { letGo } of [last, next, other]) {
        yield* letGo
      }
      yield* Fiber.join(other.fiber)
      assert.deepStrictEqual(stored, ["other"])
      assert.isFalse(order.isFree([message(1)]))
      assert.isTrue(order.isFree([message(2)]))
      yield* slow.letGo
      yield* Fiber.join(last.fiber)
      assert.deepStrictEqual(stored, ["other", "slow", "next", "last"])
      assert.isTrue(order.isFree([message(0), message(1)]))
    })
  )

  it.effect("keeps the order behind a put that is given up", () =>
    Effect.gen(function* () {
      const { order, put, stored } = puts()
      const slow = yield* put("slow", 0)
      const lost = yield* put("lost", 0)
      const last = yield* put("last", 0)
      yield* last.letGo
      yield* Fiber.interrupt(lost.fiber)
      assert.deepStrictEqual(stored, [])
      yield* slow.letGo
      yield* Fiber.join(last.fiber)
      assert.deepStrictEqual(stored, ["slow", "last"])
      assert.isTrue(order.isFree([message(0)]))
    })
  )
})

const TYPES = ["ZLIB", "LZ4", "ZSTD"] as const

describe("bodies that are compressed in the thread pool", () => {
  for (const compressType of TYPES) {
    it.effect(`leave the loop to others, and keep their places (${compressType})`, () =>
      Effect.gen(function* () {
        const store = yield* MessageStore.MessageStore
        const long = Buffer.from(Array.from({ length: 4 * LOOP_LENGTH_MAX }, (_, index) => (index * index) >> 7))
        let turns = 0
        const count = (): void => {
          turns++
          immediate = setImmediate(count)
        }
        let immediate = setImmediate(count)
        const bodies = [long, Buffer.from("short"), long.subarray(0, 3 * LOOP_LENGTH_MAX), Buffer.alloc(5000, "x")]
        const results = yield* Effect.forEach(bodies, (body) => store.put({ topic: "topic", body }), {
          concurrency: "unbounded"
        })
        clearImmediate(immediate)
        assert.isAbove(turns, 0)
        assert.deepStrictEqual(
          results.map(({ queueOffset }) => queueOffset),
          [0, 1, 2, 3]
        )
        const { messages } = yield* store.get({ topic: "topic", queueId: 0, offset: 0, maxBytes: 1 << 20 })
        const read = yield* Effect.forEach(messages, Message.decompress)
        assert.deepStrictEqual(
          read.map((body) => Buffer.from(body)),
          bodies.map((body) => Buffer.from(body))
        )
        assert.isBelow(messages[0]!.body.length, long.length)
      }).pipe(Effect.provide(MessageStore.layerMemory({ compressType })))
    )
  }

  it.effect("are refused when the store closes before", () =>
    Effect.gen(function* () {
      const body = Buffer.alloc(8 * LOOP_LENGTH_MAX, "x")
      const fiber = yield* Effect.gen(function* () {
        const store = yield* MessageStore.MessageStore
        return yield* Effect.forkDetach(Effect.flip(store.put({ topic: "topic", body })), { startImmediately: true })
      }).pipe(Effect.provide(MessageStore.layerMemory({ compressType: "ZLIB" })))
      assert.strictEqual((yield* Fiber.join(fiber)).reason._tag, "Closed")
    })
  )
})
