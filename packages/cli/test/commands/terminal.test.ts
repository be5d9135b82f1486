import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Screen from "../../src/output/Screen.ts"
import * as Millrace from "../support/Millrace.ts"

const BIN = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))
const LONG = 120_000

/** A command on a terminal of its own, which `script` makes; its code is that of the command. */
class OnTerminal {
  readonly child: ChildProcess
  output = ""
  readonly #waiting = new Set<() => void>()

  constructor(command: string) {
    const line = `stty rows 24 cols 80; exec ${command}`
    this.child = spawn("script", ["-qefc", line, "/dev/null"], {
      env: { ...process.env, TERM: "xterm", NO_COLOR: "1" }
    })
    this.child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.output += text
      this.#waiting.forEach((wake) => wake())
    })
  }

  says(text: string): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const wake = () => {
        if (this.output.includes(text)) {
          this.#waiting.delete(wake)
          resume(Effect.void)
        }
      }
      this.#waiting.add(wake)
      wake()
    })
  }

  readonly ended: Effect.Effect<number | null> = Effect.callback((resume) => {
    if (this.child.exitCode !== null) {
      return resume(Effect.succeed(this.child.exitCode))
    }
    this.child.once("close", (code) => resume(Effect.succeed(code)))
  })
}

const top = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new OnTerminal(`'${process.execPath}' '${BIN}' top --dir '${directory}'`)),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

describe("on a terminal", { timeout: LONG }, () => {
  it.live("top takes the screen, and gives it back however it ends", () =>
    Effect.gen(function* () {
      const temporary = yield* Millrace.directory
      const directory = path.join(temporary, "driver")
      const driver = yield* Millrace.start(["driver", "--dir", directory], { temporary })
      yield* driver.says("is ready")
      // Ctrl-C is 3 on a terminal in raw mode.
      for (const [typed, expected] of [
        ["q", 0],
        ["\u0003", 130]
      ] as const) {
        const running = yield* top(directory)
        yield* running.says("q quit")
        assert.include(running.output, Screen.ENTER)
        assert.notInclude(running.output, Screen.LEAVE)
        running.child.stdin!.write(typed)
        assert.strictEqual(yield* running.ended, expected)
        assert.isTrue(running.output.trimEnd().endsWith(Screen.LEAVE), JSON.stringify(running.output.slice(-80)))
      }
    }).pipe(Effect.scoped)
  )

  it.live("a command that waits ends with 128 and the number of the signal", () =>
    Effect.gen(function* () {
      const temporary = yield* Millrace.directory
      const store = path.join(temporary, "store")
      const put = yield* Millrace.run(["store", "put", store, "--topic", "t", "body"], { temporary })
      assert.strictEqual(put.code, 0)
      for (const [signal, expected] of [
        ["SIGINT", 130],
        ["SIGTERM", 143]
      ] as const) {
        const running = yield* Millrace.start(["web", "--store", store, "--port", "0", "--json"], { temporary })
        const { url } = JSON.parse(yield* running.says("}\n"))
        // A page that follows does not hold it up.
        const response = yield* Effect.promise(() => fetch(`${url}samples`))
        assert.strictEqual(response.status, 200)
        yield* running.kill(signal)
        const { code, stderr } = yield* running.ended
        assert.strictEqual(code, expected)
        assert.strictEqual(stderr, "")
        yield* Effect.ignore(Effect.tryPromise(() => response.text()))
      }
    }).pipe(Effect.scoped)
  )
})
