import { assert, describe, it } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Terminal from "effect/Terminal"
import * as TestClock from "effect/testing/TestClock"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Live from "../../src/output/Live.ts"

/** A picture that counts how often it was drawn, on a screen of five rows or where there is none. */
const shown = (options: {
  readonly json: boolean
  readonly watch: Option.Option<number>
  readonly canAnimate: boolean
}) => {
  const printed: Array<string> = []
  let drawn = 0
  const picture = Effect.sync(() => {
    drawn++
    return { lines: () => [`picture ${drawn}`, "2", "3", "4", "5", "6"], json: { drawn } }
  })
  const terminal = {
    rows: Effect.succeed(5),
    display: (text: string) => Effect.sync(() => void printed.push(text))
  } as unknown as Terminal.Terminal
  const console = Object.assign(Object.create(globalThis.console) as Console.Console, {
    log: (...values: ReadonlyArray<string>) => printed.push(values.join(" "))
  })
  const running = Live.show(picture, options).pipe(
    Effect.provideService(Terminal.Terminal, terminal),
    Effect.provideService(Console.Console, console),
    Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
      canColor: false,
      canPrompt: false,
      canAnimate: options.canAnimate
    })
  )
  return { running, printed }
}

const watched = Effect.fnUntraced(function* (canAnimate: boolean, json: boolean) {
  const { printed, running } = shown({ json, watch: Option.some(2), canAnimate })
  const fiber = yield* Effect.forkChild(running)
  yield* TestClock.adjust("3 seconds")
  yield* Fiber.interrupt(fiber)
  return printed
})

describe("Live", () => {
  it.effect("shows a picture once when nobody watches", () =>
    Effect.gen(function* () {
      const { printed, running } = shown({ json: false, watch: Option.none(), canAnimate: true })
      yield* running
      assert.deepStrictEqual(printed, ["picture 1\n2\n3\n4\n5\n6"])
    })
  )

  it.effect("prints one below the other where there is no terminal, and one a line as JSON", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* watched(false, false), ["picture 1\n2\n3\n4\n5\n6", "", "picture 2\n2\n3\n4\n5\n6"])
      assert.deepStrictEqual(yield* watched(true, true), ['{"drawn":1}', '{"drawn":2}'])
    })
  )

  it.effect("draws in place on a terminal, no more than fits it, and says what is left out", () =>
    Effect.gen(function* () {
      const [cleared, first, second, ...rest] = yield* watched(true, false)
      assert.strictEqual(cleared, "\u001b[2J")
      assert.isTrue(first!.startsWith("\u001b[Hpicture 1\u001b[K\n2"))
      assert.include(first!, "… 3 more lines; filter them")
      assert.notInclude(first!, "4\u001b[K")
      assert.include(second!, "picture 2")
      assert.lengthOf(rest, 0)
    })
  )
})
