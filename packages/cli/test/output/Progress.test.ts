import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Terminal from "effect/Terminal"
import { TestClock, TestConsole } from "effect/testing"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Progress from "../../src/output/Progress.ts"

const work: Progress.Work = { label: "streaming", noun: "records", total: 1000 }

/** A terminal of 60 columns that keeps what it is given. */
const screen = (displayed: Array<string>, canAnimate: boolean) =>
  Layer.merge(
    Layer.succeed(
      Terminal.Terminal,
      Terminal.make({
        columns: Effect.succeed(60),
        rows: Effect.succeed(24),
        size: Effect.die("not asked for"),
        readInput: Effect.die("not asked for"),
        readLine: Effect.die("not asked for"),
        display: (text) => Effect.sync(() => void displayed.push(text))
      })
    ),
    Layer.succeed(TerminalCapabilities.TerminalCapabilities, { canAnimate, canColor: false, canPrompt: false })
  )

const CLEAR_LINE = "\r\u001b[2K"

describe("Progress", () => {
  it.effect("redraws one line on a terminal, ten times a second at most, and clears it at the end", () => {
    const displayed: Array<string> = []
    return Effect.gen(function* () {
      const progress = yield* Progress.make(work, { silent: false })
      yield* TestClock.adjust("1 second")
      yield* progress.update(100)
      yield* TestClock.adjust("50 millis")
      yield* progress.update(200)
      yield* TestClock.adjust("950 millis")
      yield* progress.update(500)
    }).pipe(
      Effect.scoped,
      Effect.provide(screen(displayed, true)),
      Effect.andThen(
        Effect.sync(() =>
          assert.deepStrictEqual(displayed, [
            `${CLEAR_LINE}streaming    ${"░".repeat(27)} 0 of 1,000 records`,
            `${CLEAR_LINE}streaming    ██${"░".repeat(23)} 100 of 1,000 records`,
            `${CLEAR_LINE}streaming    █████████░░░░░░░░░ 500 of 1,000 records  500/s`,
            CLEAR_LINE
          ])
        )
      )
    )
  })

  it.effect("prints a plain line at each quarter elsewhere", () => {
    const displayed: Array<string> = []
    return Effect.gen(function* () {
      const progress = yield* Progress.make(work, { silent: false })
      for (const done of [0, 10, 249, 250, 251, 499, 760, 1000]) {
        yield* progress.update(done)
      }
      assert.deepStrictEqual(yield* TestConsole.logLines, [
        "streaming: 250 of 1,000 records",
        "streaming: 760 of 1,000 records",
        "streaming: 1,000 of 1,000 records"
      ])
      assert.deepStrictEqual(displayed, [])
    }).pipe(Effect.scoped, Effect.provide(screen(displayed, false)))
  })

  it.effect("shows nothing of work that is done before patience ends", () => {
    const displayed: Array<string> = []
    return Effect.gen(function* () {
      for (const canAnimate of [true, false]) {
        yield* Effect.gen(function* () {
          const progress = yield* Progress.make({ ...work, patienceMs: 1000 }, { silent: false })
          yield* TestClock.adjust("999 millis")
          yield* progress.update(1000)
        }).pipe(Effect.scoped, Effect.provide(screen(displayed, canAnimate)))
      }
      assert.deepStrictEqual(displayed, [CLEAR_LINE])
      assert.deepStrictEqual(yield* TestConsole.logLines, [])
    })
  })

  it.effect("shows nothing when it is silent", () => {
    const displayed: Array<string> = []
    return Effect.gen(function* () {
      const progress = yield* Progress.make(work, { silent: true })
      yield* progress.update(1000)
      assert.deepStrictEqual(displayed, [])
      assert.deepStrictEqual(yield* TestConsole.logLines, [])
    }).pipe(Effect.scoped, Effect.provide(screen(displayed, true)))
  })
})
