import { assert, describe, it } from "@effect/vitest"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { store } from "../../src/commands/store.ts"
import * as Millrace from "../support/Millrace.ts"
import { run, runWith } from "../support/StoreCommand.ts"

const names: ReadonlyArray<string> = store.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))

/** The lines of a help that begin with the name of the program, or that give it its input. */
const examplesOf = (help: string): ReadonlyArray<string> =>
  help
    .slice(help.indexOf("EXAMPLES"))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(millrace|echo|seq) /.test(line))

/** The directory `trades` that the examples speak of. */
const trades = Effect.gen(function* () {
  const directory = path.join(yield* Millrace.directory, "trades")
  yield* Effect.gen(function* () {
    const opened = yield* MessageStore.MessageStore
    yield* opened.putMany(
      Array.from({ length: 20 }, (_, id) => ({
        topic: "trades",
        body: Buffer.from(`${id}`),
        keys: `order-${id}`,
        tags: id % 2 === 0 ? "AAPL" : "MSFT"
      }))
    )
  }).pipe(
    Effect.provide(
      MessageStore.layer({
        directory,
        mappedFileSizeCommitLog: 1 << 20,
        mappedFileSizeConsumeQueue: 2000,
        maxHashSlotNum: 100,
        maxIndexNum: 4000
      })
    )
  )
  return directory
})

/** Runs an example in this process, where the shell would run it in `directory`'s parent. */
const runExample = (example: string, directory: string) =>
  Effect.gen(function* () {
    const parts = example.split(" | ")
    const [command, file] = parts.at(-1)!.split(" < ")
    const given = file === undefined ? "" : '{"topic":"trades","text":"from a file"}\n'
    const stdin = parts.length > 1 ? execFileSync("sh", ["-c", parts[0]!]).toString() : given
    const words = Millrace.wordsOf(command!.split(" > ")[0]!)
    const args = words
      .slice(2)
      .map((word, index) => (words[index + 1] === "--topic" ? word : word.replace(/^trades(?=\/|$)/, directory)))
    return yield* Effect.timeoutOption(runWith(stdin, ...args), args.includes("--follow") ? 300 : 60_000)
  })

describe("help of millrace store", () => {
  it.live("says of each command what it does, on a screen", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run("--help")
      for (const name of names) {
        assert.match(stdout, new RegExp(`^  ${name} +\\S`, "m"))
      }
      assert.isAtMost(stdout.split("\n").length, 40)
    })
  )

  it.live(
    "has two examples of each command that run as printed",
    () =>
      Effect.gen(function* () {
        const directory = yield* trades
        for (const name of names) {
          const examples = examplesOf((yield* run(name, "--help")).stdout)
          assert.lengthOf(examples, 2, name)
          for (const example of examples) {
            const ended = yield* runExample(example, directory)
            const isEndless = example.includes("--follow")
            assert.strictEqual(Option.isNone(ended), isEndless, example)
            if (Option.isSome(ended)) {
              assert.deepInclude(ended.value, { code: 0, stderr: "" }, example)
              assert.notStrictEqual(ended.value.stdout, "", example)
            }
          }
        }
        assert.isTrue(fs.existsSync(directory))
      }).pipe(Effect.scoped),
    60_000
  )
})
