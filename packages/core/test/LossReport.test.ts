import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CoreError } from "../src/CoreError.ts"
import * as LossReport from "../src/LossReport.ts"

const reasonOf = <A>(effect: Effect.Effect<A, CoreError>) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

const stream: LossReport.LossyStream = { sessionId: 1, streamId: 2, channel: "aeron:udp?endpoint=a:1", source: "b:2" }

describe("LossReport", () => {
  it.effect("adds the losses of a stream up", () =>
    Effect.gen(function* () {
      const report = yield* LossReport.heap("loss")
      yield* TestClock.adjust("1 second")
      const lost = yield* LossReport.createEntry(report, stream, 100)
      yield* TestClock.adjust("1 second")
      yield* lost(50)
      yield* LossReport.createEntry(report, { ...stream, streamId: 3 }, 1)
      const entries = yield* LossReport.entries(report)
      assert.strictEqual(entries.length, 2)
      assert.deepStrictEqual(entries[0], {
        ...stream,
        observationCount: 2n,
        totalBytesLost: 150n,
        firstObservationMs: 1000,
        lastObservationMs: 2000
      })
    })
  )

  it.effect("fails with CapacityExhausted when it is full", () =>
    Effect.gen(function* () {
      const report = yield* LossReport.heap("loss", 128)
      yield* LossReport.createEntry(report, stream, 1)
      assert.deepInclude(yield* reasonOf(LossReport.createEntry(report, stream, 1)), {
        _tag: "CapacityExhausted",
        capacity: 1
      })
    })
  )

  it.effect("is read through its file", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "millrace-loss-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const path = join(directory, "loss-report.dat")
      const report = yield* LossReport.create(path)
      yield* LossReport.createEntry(report, stream, 7)
      const entries = yield* Effect.flatMap(LossReport.map(path), LossReport.entries)
      assert.deepStrictEqual(entries, yield* LossReport.entries(report))
    })
  )

  it.effect("refuses lengths that are not a multiple of 64, damage, and use after its scope", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* reasonOf(Effect.scoped(LossReport.heap("loss", 100))))._tag, "InvalidFormat")
      const scope = yield* Scope.make()
      const report = yield* LossReport.heap("loss", 256).pipe(Scope.provide(scope))
      const lost = yield* LossReport.createEntry(report, stream, 1)
      report.region.buffer().view.setInt32(40, -1, true)
      assert.strictEqual((yield* reasonOf(LossReport.entries(report)))._tag, "InvalidFormat")
      yield* Scope.close(scope, Exit.void)
      for (const use of [LossReport.entries(report), lost(1), LossReport.createEntry(report, stream, 1)]) {
        assert.strictEqual((yield* reasonOf<unknown>(use))._tag, "Closed")
      }
    })
  )
})
