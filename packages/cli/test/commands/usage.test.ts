import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { millrace } from "../../src/main.ts"
import * as Millrace from "../support/Millrace.ts"

const LONG = 120_000

const names = millrace.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))

const run = (...args: ReadonlyArray<string>) =>
  Effect.scoped(Effect.flatMap(Millrace.directory, (temporary) => Millrace.run(args, { temporary })))

describe("millrace", { timeout: LONG }, () => {
  it.live("shows what there is when nothing is asked, and when help is", () =>
    Effect.gen(function* () {
      for (const args of [[], ["--help"]]) {
        const { code, stderr, stdout } = yield* run(...args)
        assert.strictEqual(code, 0)
        assert.strictEqual(stderr, "")
        for (const name of names) {
          assert.match(stdout, new RegExp(`^(?:\\w+ )* +${name} +\\S`, "m"))
        }
      }
    })
  )

  it.live("fits its help on a screen of 24 lines and 80 columns", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run("--help")
      const lines = stdout.trimEnd().split("\n")
      assert.isAtMost(lines.length, 24)
      for (const line of lines) {
        assert.isAtMost(line.length, 80, line)
      }
    })
  )

  it.live("answers bad usage on standard error with exit code 2 and keeps standard output for answers", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp, string]> = [
        [["demo", "a.csv", "b.csv", "--json", "--nope"], /Unrecognized flag: --nope/, "millrace demo"],
        [["demo", "--repeat", "0", "--json"], /--repeat: .*a whole number above 0/, "millrace demo"],
        [["dmeo"], /Unknown subcommand "dmeo"/, "millrace"],
        [["store", "topics"], /Missing required argument: dir/, "millrace store topics"]
      ]
      for (const [args, complaint, command] of cases) {
        const { code, stderr, stdout } = yield* run(...args)
        assert.strictEqual(code, 2, args.join(" "))
        assert.strictEqual(stdout, "")
        assert.match(stderr, complaint)
        assert.include(stderr, `Try '${command} --help'.`)
      }
    })
  )

  it.live("takes a group of commands without one of them for bad usage", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run("store")
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, "")
      assert.include(stderr, "tail")
    })
  )

  it.live("says which version it is", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run("--version")
      assert.strictEqual(code, 0)
      assert.match(stdout, /^millrace \d+\.\d+\.\d+\S*\n$/)
    })
  )

  it.live("ends without a word when whoever reads its output is gone", () =>
    Effect.gen(function* () {
      const temporary = yield* Millrace.directory
      const running = yield* Millrace.start(["--help"], { temporary })
      running.process.stdout!.destroy()
      const { code, stderr } = yield* running.ended
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 141)
    }).pipe(Effect.scoped)
  )
})
