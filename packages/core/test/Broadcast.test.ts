import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Broadcast from "../src/Broadcast.ts"
import type { CoreError } from "../src/CoreError.ts"
import * as IdleStrategy from "../src/IdleStrategy.ts"

const message = (typeId: number, ...payload: ReadonlyArray<number>): Broadcast.Message => ({
  typeId,
  payload: Uint8Array.from(payload)
})

const reasonOf = <A>(effect: Effect.Effect<A, CoreError>) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

const typesOf = (messages: ReadonlyArray<Broadcast.Message>) => messages.map(({ typeId }) => typeId)

describe("Broadcast", () => {
  it.effect("hands every message to every receiver", () =>
    Effect.gen(function* () {
      const broadcast = yield* Broadcast.heap("prices", 64 * 1024)
      const receive = Broadcast.stream(broadcast, { idle: IdleStrategy.yielding }).pipe(
        Stream.take(500),
        Stream.runCollect
      )
      const receivers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(receive, { startImmediately: true }))
      const messages = Array.from({ length: 500 }, (_, i) => message(i + 1, i & 0xff))
      yield* Stream.fromIterable(messages).pipe(Stream.run(Broadcast.sink(broadcast)))
      for (const receiver of receivers) {
        assert.deepStrictEqual(yield* Fiber.join(receiver), messages)
      }
    })
  )

  it.effect("begins with the latest message", () =>
    Effect.gen(function* () {
      const broadcast = yield* Broadcast.heap("prices", 1024)
      for (const typeId of [1, 2, 3]) {
        yield* Broadcast.transmit(broadcast, message(typeId))
      }
      const received = yield* Broadcast.stream(broadcast).pipe(Stream.take(1), Stream.runCollect)
      assert.deepStrictEqual(typesOf(received), [3])
    })
  )

  it.effect("fails with Lapped when messages were lost, and goes on with the latest when asked to", () =>
    Effect.gen(function* () {
      const broadcast = yield* Broadcast.heap("prices", 1024)
      const received: Array<number> = []
      const receive = (onLapped: "fail" | "skip") =>
        Broadcast.stream(broadcast, { onLapped }).pipe(
          Stream.tap(({ typeId }) => Effect.sync(() => received.push(typeId))),
          Stream.takeUntil(({ typeId }) => typeId === 200),
          Stream.runDrain,
          Effect.forkChild({ startImmediately: true })
        )
      yield* Broadcast.transmit(broadcast, message(1))
      const failing = yield* receive("fail")
      const skipping = yield* receive("skip")
      yield* TestClock.adjust("1 second")
      for (let typeId = 2; typeId <= 200; typeId++) {
        yield* Broadcast.transmit(broadcast, message(typeId))
      }
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* reasonOf(Fiber.join(failing)), { _tag: "Lapped", resource: "prices", capacity: 1024 })
      yield* Fiber.join(skipping)
      assert.deepStrictEqual(received, [1, 1, 200])
    })
  )

  it.effect("fails with MessageTooLong after sending what came before", () =>
    Effect.gen(function* () {
      const broadcast = yield* Broadcast.heap("prices", 64)
      const long: Broadcast.Message = { typeId: 2, payload: new Uint8Array(9) }
      const reason = yield* reasonOf(Stream.make(message(1, 1), long).pipe(Stream.run(Broadcast.sink(broadcast))))
      assert.deepInclude(reason, { _tag: "MessageTooLong", length: 9, lengthMax: 8 })
      const received = yield* Broadcast.stream(broadcast).pipe(Stream.take(1), Stream.runCollect)
      assert.deepStrictEqual(received, [message(1, 1)])
    })
  )

  it.effect("is shared through a file", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "millrace-broadcast-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const path = join(directory, "prices")
      assert.strictEqual((yield* reasonOf(Effect.scoped(Broadcast.create(path, 1000))))._tag, "InvalidFormat")
      assert.isFalse(existsSync(path))
      const ours = yield* Broadcast.create(path, 1024)
      const theirs = yield* Broadcast.map(path)
      yield* Broadcast.transmit(ours, message(7, 1, 2, 3))
      const received = yield* Broadcast.stream(theirs).pipe(Stream.take(1), Stream.runCollect)
      assert.deepStrictEqual(received, [message(7, 1, 2, 3)])
    })
  )

  it.effect("fails with InvalidFormat when another program wrote over it", () =>
    Effect.gen(function* () {
      const broadcast = yield* Broadcast.heap("prices", 1024)
      yield* Broadcast.transmit(broadcast, message(1, 1))
      broadcast.region.buffer().view.setInt32(0, 3, true)
      const reason = yield* reasonOf(Broadcast.stream(broadcast).pipe(Stream.runDrain))
      assert.deepInclude(reason, { _tag: "InvalidFormat", format: "broadcast buffer", resource: "prices" })
    })
  )

  it.effect("fails with Closed after its scope has ended, in every function", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const broadcast = yield* Broadcast.heap("prices", 64).pipe(Scope.provide(scope))
      const running = yield* Broadcast.stream(broadcast).pipe(
        Stream.runDrain,
        Effect.forkChild({ startImmediately: true })
      )
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 second")
      const uses: ReadonlyArray<Effect.Effect<unknown, CoreError>> = [
        Fiber.join(running),
        Broadcast.transmit(broadcast, message(1)),
        Stream.make(message(1)).pipe(Stream.run(Broadcast.sink(broadcast))),
        Broadcast.stream(broadcast).pipe(Stream.runDrain)
      ]
      for (const use of uses) {
        assert.strictEqual((yield* reasonOf(use))._tag, "Closed")
      }
    })
  )
})
