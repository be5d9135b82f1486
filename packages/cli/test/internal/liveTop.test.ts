import { assert, describe, it } from "@effect/vitest"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"
import * as TestClock from "effect/testing/TestClock"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import { liveTop } from "../../src/internal/liveTop.ts"
import * as View from "../../src/top/View.ts"
import { both, driver } from "../top/samples.ts"
import * as Screen from "../../src/output/Screen.ts"

/** A terminal of 80 columns and 24 rows that keeps what it shows, on which keys are pressed. */
const screen = Effect.gen(function* () {
  const keys = yield* Queue.make<Terminal.UserInput, Cause.Done>()
  const sizes = yield* Queue.make<Terminal.Size, Cause.Done>()
  const shown: Array<string> = []
  let rows = 24
  const terminal = Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.sync(() => rows),
    size: Effect.succeed(sizes),
    readInput: Effect.succeed(keys),
    readLine: Effect.die("not asked for"),
    display: (text) => Effect.sync(() => void shown.push(text))
  })
  const press = (name: string) => {
    const key = { name, ctrl: false, meta: false, shift: false }
    return Effect.andThen(Queue.offer(keys, { input: Option.some(name), key }), Effect.yieldNow)
  }
  const resize = (height: number) =>
    Effect.suspend(() => {
      rows = height
      return Effect.andThen(Queue.offer(sizes, { columns: 80, rows: height }), Effect.yieldNow)
    })
  return { terminal, shown, keys, press, resize }
})

const running = Effect.fnUntraced(function* (terminal: Terminal.Terminal) {
  let taken = 0
  const sample = Effect.sync(() => ({ ...both, driver: driver({ pid: ++taken }) }))
  const fiber = yield* liveTop(sample, { intervalMs: 1000, view: View.initial }).pipe(
    Effect.provideService(Terminal.Terminal, terminal),
    Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
      canColor: false,
      canAnimate: true,
      canPrompt: true
    }),
    Effect.forkChild
  )
  yield* TestClock.adjust("1 millis")
  return fiber
})

describe("liveTop", () => {
  it.effect("takes the screen, shows each sample in it, and gives it back when q is pressed", () =>
    Effect.gen(function* () {
      const { press, shown, terminal } = yield* screen
      const fiber = yield* running(terminal)
      yield* TestClock.adjust("1 second")
      yield* press("q")
      yield* Fiber.join(fiber)
      assert.strictEqual(shown[0], Screen.ENTER)
      assert.include(shown[1], "pid 1 ")
      // Only the line that changed.
      assert.match(shown[2]!, /^\u001b\[2;1Hdriver .* pid 2 [^\n]*\u001b\[K/)
      assert.notInclude(shown[2], "millrace top")
      assert.strictEqual(shown.at(-1), Screen.LEAVE)
    })
  )

  it.effect("stands still while it is paused, and shows what a key asks for at once", () =>
    Effect.gen(function* () {
      const { press, shown, terminal } = yield* screen
      const fiber = yield* running(terminal)
      yield* press("p")
      yield* TestClock.adjust("5 seconds")
      assert.include(shown.at(-1), "PAUSED")
      assert.isFalse(shown.some((text) => text.includes("pid 2 ")))
      yield* press("c")
      yield* TestClock.adjust("1 millis")
      assert.include(shown.at(-1), "client-heartbeat")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(shown.at(-1), Screen.LEAVE)
    })
  )

  it.effect("draws everything anew when the size changes, and goes on when there are no keys", () =>
    Effect.gen(function* () {
      const { keys, resize, shown, terminal } = yield* screen
      const fiber = yield* running(terminal)
      yield* Queue.end(keys)
      yield* resize(10)
      yield* TestClock.adjust("1 millis")
      assert.isTrue(shown.at(-1)!.startsWith("\u001b[2J\u001b[1;1Hmillrace top"))
      assert.include(shown.at(-1), "\u001b[10;1Hq quit")
      yield* TestClock.adjust("1 second")
      assert.include(shown.at(-1), "pid 2 ")
      yield* Fiber.interrupt(fiber)
    })
  )
})
