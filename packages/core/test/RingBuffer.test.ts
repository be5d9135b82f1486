import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { fork } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import type { CoreError } from "../src/CoreError.ts"
import * as IdleStrategy from "../src/IdleStrategy.ts"
import * as Region from "../src/Region.ts"
import * as RingBuffer from "../src/RingBuffer.ts"

const message = (typeId: number, ...payload: ReadonlyArray<number>): RingBuffer.Message => ({
  typeId,
  payload: Uint8Array.from(payload)
})

const reasonOf = <A>(effect: Effect.Effect<A, CoreError>) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

/** A folder that is gone when the scope ends. */
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "millrace-ring-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const busy = { idle: IdleStrategy.yielding }

describe("RingBuffer", () => {
  it.effect("carries messages from a sink to a stream through a ring that is smaller than they are", () =>
    Effect.gen(function* () {
      for (const producers of ["many", "one"] as const) {
        const ring = yield* RingBuffer.heap("ring", 1024, { producers })
        const messages = Array.from({ length: 2000 }, (_, i) => message(i + 1, i & 0xff, i >> 8))
        const producer = yield* Stream.fromIterable(messages).pipe(
          Stream.rechunk(100),
          Stream.run(RingBuffer.sink(ring, busy)),
          Effect.forkChild
        )
        const received = yield* RingBuffer.stream(ring, busy).pipe(Stream.take(messages.length), Stream.runCollect)
        yield* Fiber.join(producer)
        assert.deepStrictEqual(received, messages)
      }
    })
  )

  it.effect("offers without waiting and says when there is no room", () =>
    Effect.gen(function* () {
      const ring = yield* RingBuffer.heap("ring", 64)
      const offers = yield* Effect.all(
        Array.from({ length: 5 }, (_, i) => RingBuffer.offer(ring, message(i + 1, 1, 2, 3, 4, 5, 6, 7, 8)))
      )
      assert.deepStrictEqual(offers, [true, true, true, true, false])
      const polled = yield* RingBuffer.poll(ring)
      assert.deepStrictEqual(
        polled.map(({ typeId }) => typeId),
        [1, 2, 3, 4]
      )
      assert.deepStrictEqual(yield* RingBuffer.poll(ring), [])
    })
  )

  it.effect("polls over the end of the buffer, and no more than its limit", () =>
    Effect.gen(function* () {
      const ring = yield* RingBuffer.heap("ring", 64)
      for (let i = 1; i <= 3; i++) {
        yield* RingBuffer.offer(ring, message(i, 1))
      }
      assert.strictEqual((yield* RingBuffer.poll(ring, 2)).length, 2)
      yield* RingBuffer.offer(ring, message(4, 1))
      yield* RingBuffer.offer(ring, message(5, 1))
      assert.deepStrictEqual(
        (yield* RingBuffer.poll(ring, 3)).map(({ typeId }) => typeId),
        [3, 4, 5]
      )
    })
  )

  it.effect("keeps what it handed out when the ring is written again", () =>
    Effect.gen(function* () {
      const ring = yield* RingBuffer.heap("ring", 64)
      yield* RingBuffer.offer(ring, message(1, 42))
      const [kept] = yield* RingBuffer.poll(ring)
      for (let i = 0; i < 8; i++) {
        yield* RingBuffer.offer(ring, message(1, 0))
        yield* RingBuffer.poll(ring)
      }
      assert.deepStrictEqual(kept, message(1, 42))
    })
  )

  it.effect("fails with MessageTooLong after writing what came before", () =>
    Effect.gen(function* () {
      const ring = yield* RingBuffer.heap("ring", 64)
      const long: RingBuffer.Message = { typeId: 2, payload: new Uint8Array(9) }
      assert.deepInclude(yield* reasonOf(RingBuffer.offer(ring, long)), {
        _tag: "MessageTooLong",
        length: 9,
        lengthMax: 8
      })
      const reason = yield* reasonOf(Stream.make(message(1, 1), long).pipe(Stream.run(RingBuffer.sink(ring))))
      assert.strictEqual(reason._tag, "MessageTooLong")
      assert.strictEqual((yield* RingBuffer.poll(ring)).length, 1)
    })
  )

  it.effect("dies on a type id that is none", () =>
    Effect.gen(function* () {
      const ring = yield* RingBuffer.heap("ring", 64)
      const exit = yield* Effect.exit(RingBuffer.offer(ring, message(0, 1)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )

  it.effect("refuses capacities and files that are not those of a ring, and leaves no file behind", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "ring")
      assert.strictEqual((yield* reasonOf(Effect.scoped(RingBuffer.heap("ring", 1000))))._tag, "InvalidFormat")
      assert.strictEqual((yield* reasonOf(Effect.scoped(RingBuffer.create(path, 1000))))._tag, "InvalidFormat")
      assert.isFalse(existsSync(path))
      writeFileSync(path, Buffer.alloc(5000))
      const reason = yield* reasonOf(Effect.scoped(RingBuffer.map(path)))
      assert.match(reason.message, /not a valid ring buffer: its length is 5000 bytes, and must be a power of two/)
    })
  )

  it.effect("fails with InvalidFormat when another program wrote over it", () =>
    Effect.gen(function* () {
      const region = yield* Region.heap("ring", RingBuffer.regionLength(64))
      const ring = yield* RingBuffer.make(region)
      yield* RingBuffer.offer(ring, message(1, 1))
      region.buffer().view.setInt32(0, 3, true)
      const reason = yield* reasonOf(RingBuffer.stream(ring, busy).pipe(Stream.runDrain))
      assert.deepInclude(reason, { _tag: "InvalidFormat", format: "ring buffer", resource: "ring" })
    })
  )

  it.effect("fails with Closed after its scope has ended, in every function", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const ring = yield* RingBuffer.heap("ring", 64).pipe(Scope.provide(scope))
      yield* Scope.close(scope, Exit.void)
      const uses: ReadonlyArray<Effect.Effect<unknown, CoreError>> = [
        RingBuffer.offer(ring, message(1)),
        RingBuffer.poll(ring),
        RingBuffer.nextCorrelationId(ring),
        RingBuffer.consumerHeartbeat(ring),
        RingBuffer.unblock(ring),
        Stream.make(message(1)).pipe(Stream.run(RingBuffer.sink(ring))),
        RingBuffer.stream(ring).pipe(Stream.runDrain)
      ]
      for (const use of uses) {
        assert.strictEqual((yield* reasonOf(use))._tag, "Closed")
      }
    })
  )

  it.effect("shows producers whether there is a consumer", () =>
    Effect.gen(function* () {
      const ring = yield* RingBuffer.heap("ring", 1024)
      assert.isUndefined(yield* RingBuffer.consumerHeartbeat(ring))
      yield* TestClock.adjust("5 seconds")
      const consumer = yield* RingBuffer.stream(ring).pipe(Stream.runDrain, Effect.forkChild)
      yield* TestClock.adjust("1 second")
      const heartbeat = yield* RingBuffer.consumerHeartbeat(ring)
      assert.isAtLeast(heartbeat!, 5000)
      assert.isAtMost(heartbeat!, 6000)
      yield* Fiber.interrupt(consumer)
      assert.isUndefined(yield* RingBuffer.consumerHeartbeat(ring))
    })
  )

  it.effect("skips a message whose producer died, after the timeout and not before", () =>
    Effect.gen(function* () {
      const ring = yield* RingBuffer.heap("ring", 1024)
      assert.isAtLeast(ring.tryClaim(1, 8), 0)
      yield* RingBuffer.offer(ring, message(2, 2))
      const consumer = yield* RingBuffer.stream(ring, { unblockTimeout: "3 seconds" }).pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.forkChild
      )
      yield* TestClock.adjust("2900 millis")
      assert.strictEqual(ring.consumerPosition, 0)
      yield* TestClock.adjust("200 millis")
      assert.deepStrictEqual(yield* Fiber.join(consumer), [message(2, 2)])
    })
  )

  it.effect("dies when a second stream of one ring is run, and not when one follows the other", () =>
    Effect.gen(function* () {
      const ring = yield* RingBuffer.heap("ring", 1024)
      const first = yield* RingBuffer.stream(ring).pipe(Stream.runDrain, Effect.forkChild({ startImmediately: true }))
      const exit = yield* Effect.exit(Stream.runDrain(RingBuffer.stream(ring)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      yield* Fiber.interrupt(first)
      yield* RingBuffer.offer(ring, message(1))
      assert.strictEqual((yield* RingBuffer.stream(ring).pipe(Stream.take(1), Stream.runCollect)).length, 1)
    })
  )

  it.effect("takes no message more than its consumer pulls", () =>
    Effect.gen(function* () {
      const ring = yield* RingBuffer.heap("ring", 1024)
      for (let i = 1; i <= 10; i++) {
        yield* RingBuffer.offer(ring, message(i))
      }
      yield* RingBuffer.stream(ring, { batchMax: 2 }).pipe(Stream.take(4), Stream.runDrain)
      assert.deepStrictEqual(
        (yield* RingBuffer.poll(ring)).map(({ typeId }) => typeId),
        [5, 6, 7, 8, 9, 10]
      )
    })
  )

  it.live("carries messages from a worker through shared memory", () =>
    Effect.gen(function* () {
      const region = yield* Region.heap("ring", RingBuffer.regionLength(4096))
      const ring = yield* RingBuffer.make(region)
      const worker = new Worker(new URL("./ringWorker.peer.ts", import.meta.url), { workerData: region.memory })
      yield* Effect.addFinalizer(() => Effect.promise(() => worker.terminate()))
      const received = yield* RingBuffer.stream(ring).pipe(Stream.take(5000), Stream.runCollect)
      assert.deepStrictEqual(
        received.map(({ typeId }) => typeId),
        Array.from({ length: 5000 }, (_, i) => i + 1)
      )
    }).pipe(Effect.scoped)
  )

  it.live("carries messages between processes through a file", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "ring")
      const ring = yield* RingBuffer.create(path, 16 * 1024)
      const ids = new Set<number>()
      const children = [1, 2].map((typeId) =>
        fork(fileURLToPath(new URL("./ringSink.peer.ts", import.meta.url)), [path, String(typeId)])
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => children.forEach((child) => child.kill("SIGKILL"))))
      const next = [0, 0]
      yield* RingBuffer.stream(ring).pipe(
        Stream.take(20_000),
        Stream.runForEach(({ payload, typeId }) =>
          Effect.sync(() => {
            const sequence = new DataView(payload.buffer).getInt32(0, true)
            assert.strictEqual(sequence, next[typeId - 1])
            next[typeId - 1] = sequence + 1
            ids.add(typeId)
          })
        )
      )
      assert.deepStrictEqual(next, [10_000, 10_000])
      assert.strictEqual(yield* RingBuffer.nextCorrelationId(ring), 2n)
    }).pipe(Effect.scoped)
  )
})
