import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CoreError } from "../src/CoreError.ts"
import * as ErrorLog from "../src/ErrorLog.ts"

const reasonOf = <A>(effect: Effect.Effect<A, CoreError>) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

describe("ErrorLog", () => {
  it.effect("counts the same error and keeps when it was first and last seen", () =>
    Effect.gen(function* () {
      const log = yield* ErrorLog.heap("errors", 8192)
      const error = new TypeError("no such thing")
      yield* TestClock.adjust("1 second")
      yield* ErrorLog.record(log, error)
      yield* TestClock.adjust("1 second")
      yield* ErrorLog.record(log, Cause.fail(error))
      yield* ErrorLog.record(log, "late")
      const observations = yield* ErrorLog.observations(log)
      assert.deepInclude(observations[0], { count: 2, firstMs: 1000, lastMs: 2000 })
      assert.match(observations[0]!.text, /^TypeError: no such thing\n/)
      assert.deepStrictEqual(observations[1], { count: 1, firstMs: 2000, lastMs: 2000, text: "late" })
      assert.deepStrictEqual(yield* ErrorLog.observations(log, 2001), [])
    })
  )

  it.effect("fails with CapacityExhausted for a new error without room", () =>
    Effect.gen(function* () {
      const log = yield* ErrorLog.heap("errors", 64)
      yield* ErrorLog.record(log, "x".repeat(30))
      assert.deepInclude(yield* reasonOf(ErrorLog.record(log, "another")), {
        _tag: "CapacityExhausted",
        capacity: 1
      })
      yield* ErrorLog.record(log, "x".repeat(30))
    })
  )

  it.effect("is read through its file, and continued by the next program", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "millrace-errors-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const path = join(directory, "errors")
      yield* Effect.scoped(Effect.flatMap(ErrorLog.create(path, 4096), (log) => ErrorLog.record(log, "first")))
      const observations = yield* Effect.flatMap(ErrorLog.map(path), (log) => ErrorLog.observations(log))
      assert.deepStrictEqual(
        observations.map(({ text }) => text),
        ["first"]
      )
      assert.strictEqual((yield* reasonOf(Effect.scoped(ErrorLog.create(path, 4096))))._tag, "SystemCallFailed")
    })
  )

  it.effect("refuses lengths below 64 and between multiples of 8", () =>
    Effect.gen(function* () {
      for (const length of [0, 56, 100]) {
        assert.strictEqual((yield* reasonOf(Effect.scoped(ErrorLog.heap("errors", length))))._tag, "InvalidFormat")
      }
    })
  )

  it.effect("fails with Closed after its scope has ended, and with InvalidFormat on damage", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const log = yield* ErrorLog.heap("errors", 64).pipe(Scope.provide(scope))
      yield* ErrorLog.record(log, "x")
      log.region.buffer().view.setInt32(0, 5, true)
      assert.strictEqual((yield* reasonOf(ErrorLog.observations(log)))._tag, "InvalidFormat")
      assert.strictEqual((yield* reasonOf(ErrorLog.make(log.region)))._tag, "InvalidFormat")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* reasonOf(ErrorLog.observations(log)))._tag, "Closed")
      assert.strictEqual((yield* reasonOf(ErrorLog.record(log, "x")))._tag, "Closed")
    })
  )
})
