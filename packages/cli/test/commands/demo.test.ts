import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"
import * as Remains from "../support/Remains.ts"

const LONG = 120_000

describe("millrace demo", () => {
  it.live(
    "verifies 20,000 of 20,000 flights, prints one JSON object and leaves nothing behind",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const running = yield* Millrace.start(["demo", "--json"], { temporary })
        const { code, stderr, stdout } = yield* running.ended
        assert.strictEqual(stderr, "")
        assert.strictEqual(code, 0)
        assert.strictEqual(stdout.trimEnd().split("\n").length, 1)
        const result = JSON.parse(stdout)
        assert.deepStrictEqual(Object.keys(result), ["records", "verified", "transport", "store", "topOrigins"])
        assert.strictEqual(result.records, 20_000)
        assert.strictEqual(result.verified, 20_000)
        assert.deepStrictEqual(Object.keys(result.transport), ["messagesPerSecond", "bytesPerSecond"])
        assert.deepStrictEqual(Object.keys(result.store), ["messagesPerSecond", "bytesPerSecond", "files"])
        // Counted with another program over the same file.
        assert.deepStrictEqual(result.topOrigins.slice(0, 2), [
          { origin: "DFW", count: 1103, meanDelay: 9.49 },
          { origin: "ORD", count: 1095, meanDelay: 7.47 }
        ])
        assert.deepStrictEqual(Remains.filesIn(temporary), [])
        assert.deepStrictEqual(Remains.sharedMemoryOf(running.pid), [])
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "keeps the store when it is given a directory, and the commands that it tells to type next work on it",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const store = path.join(temporary, "my store")
        const env = { npm_lifecycle_event: "" }
        const { code, stdout } = yield* Millrace.run(["demo", "--dir", store], { temporary, env })
        assert.strictEqual(code, 0)
        assert.match(stdout, /✓ 20,000 of 20,000 records came back equal and in order from 4 queues/)
        assert.match(stdout, /streaming: 20,000 of 20,000 records/)
        const commands = stdout.split("What to type next\n")[1]!.trimEnd().split("\n")
        assert.strictEqual(commands.length, 3)
        for (const command of commands) {
          const words = Millrace.wordsOf(command.trim())
          assert.deepStrictEqual(words.slice(2, 3), ["store"])
          const { code, stderr, stdout } = yield* Millrace.run(words.slice(2), { temporary })
          assert.strictEqual(stderr, "")
          assert.strictEqual(code, 0)
          assert.isAbove(stdout.split("\n").length, 2)
        }
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "takes any columns: text that is not ASCII, values that are missing, a key and a tag by choice",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const file = path.join(temporary, "Wetter & Städte.csv")
        const rows = Array.from(
          { length: 500 },
          (_, n) => `${["Zürich", "東京", ""][n % 3]},${n % 2 ? "rain" : ""},${n}`
        )
        fs.writeFileSync(file, `city,weather,wind\n${rows.join("\n")}\n`)
        const args = ["demo", file, "--key", "city", "--tag", "weather", "--repeat", "3", "--json"]
        const { code, stderr, stdout } = yield* Millrace.run(args, { temporary })
        assert.strictEqual(stderr, "")
        assert.strictEqual(code, 0)
        const { records, topOrigins, verified } = JSON.parse(stdout)
        assert.strictEqual(records, 1500)
        assert.strictEqual(verified, 1500)
        assert.deepStrictEqual(topOrigins, [
          { origin: "Zürich", count: 501, meanDelay: 249 },
          { origin: "東京", count: 501, meanDelay: 250 },
          { origin: "", count: 498, meanDelay: 249.5 }
        ])
      }).pipe(Effect.scoped),
    LONG
  )
})
