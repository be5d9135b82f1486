import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { TestClock, TestConsole } from "effect/testing"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Progress from "../../src/output/Progress.ts"

const work: Progress.Work = { label: "streaming", noun: "records", total: 1000, patienceMs: 0 }

/** A terminal of 60 columns, or none, that keeps what standard error is given. */
const screen = (displayed: Array<string>, isTerminal: boolean, term = "xterm") =>
  Layer.mergeAll(
    Layer.succeed(
      Terminal.Terminal,
      Terminal.make({
        columns: Effect.succeed(60),
        rows: Effect.succeed(24),
        size: Effect.die("not asked for"),
        readInput: Effect.die("not asked for"),
        readLine: Effect.die("not asked for"),
        display: () => Effect.die("that is standard output")
      })
    ),
    Stdio.layerTest({
      stderrIsTerminal: Effect.succeed(isTerminal),
      stderr: () => Sink.forEach((text) => Effect.sync(() => void displayed.push(String(text)))),
      stdout: () => Sink.die("nothing is for standard output")
    }),
    Layer.succeed(TerminalCapabilities.TerminalCapabilities, { canAnimate: true, canColor: false, canPrompt: false }),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env: { TERM: term } }))
  )

const CLEAR_LINE = "\r\u001b[2K"

const shown = (options: Progress.Work, isTerminal: boolean, term?: string) =>
  Effect.gen(function* () {
    const displayed: Array<string> = []
    yield* Effect.gen(function* () {
      const progress = yield* Progress.make(options)
      yield* TestClock.adjust("1 second")
      yield* progress.update(100)
      yield* TestClock.adjust("50 millis")
      yield* progress.update(200)
      yield* TestClock.adjust("950 millis")
      yield* progress.update(500)
    }).pipe(Effect.scoped, Effect.provide(screen(displayed, isTerminal, term)))
    assert.deepStrictEqual(yield* TestConsole.logLines, [])
    return displayed
  })

describe("Progress", () => {
  it.effect("redraws one line of standard error, ten times a second at most, and clears it at the end", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shown(work, true), [
        `${CLEAR_LINE}streaming    ${"░".repeat(27)} 0 of 1,000 records`,
        `${CLEAR_LINE}streaming    ██${"░".repeat(23)} 100 of 1,000 records`,
        `${CLEAR_LINE}streaming    █████████░░░░░░░░░ 500 of 1,000 records  500/s`,
        CLEAR_LINE
      ])
    })
  )

  it.effect("shows nothing where standard error is no terminal, or one that cannot redraw", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shown(work, false), [])
      assert.deepStrictEqual(yield* shown(work, true, "dumb"), [])
    })
  )

  it.effect("shows nothing of work that is done within a second", () =>
    Effect.gen(function* () {
      const displayed: Array<string> = []
      yield* Effect.gen(function* () {
        const progress = yield* Progress.make({ label: "check", noun: "bytes", total: 1000 })
        yield* TestClock.adjust("999 millis")
        yield* progress.update(1000)
      }).pipe(Effect.scoped, Effect.provide(screen(displayed, true)))
      assert.deepStrictEqual(displayed, [])
    })
  )

  it.effect("counts where nobody knows how much there is", () =>
    Effect.gen(function* () {
      const displayed = yield* shown({ label: "import", noun: "puts", total: undefined }, true)
      assert.strictEqual(displayed[0], `${CLEAR_LINE}import       100 puts`)
      assert.strictEqual(displayed[1], `${CLEAR_LINE}import       500 puts  500/s`)
    })
  )
})
