import * as MessageStore from "@millrace/store/MessageStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"
import * as Remains from "../support/Remains.ts"
import { run } from "../support/StoreCommand.ts"

const LONG = 120_000

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A directory with a store: a topic of three queues with ten messages, and one with two strange ones. */
const storeDirectory = Effect.gen(function* () {
  const directory = path.join(yield* Millrace.directory, "store")
  yield* Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    yield* store.putMany(
      Array.from({ length: 10 }, (_, n) => ({
        topic: "numbers",
        queueId: n % 3,
        body: bytes(`{"n":${n}}`),
        keys: `key${n}`,
        tags: n % 5 === 0 ? "fifth" : "other"
      }))
    )
    yield* store.putMany([
      { topic: "strange", body: Uint8Array.from([0xff, 0x00]) },
      { topic: "strange", body: bytes("\u001b[2J\n") }
    ])
  }).pipe(Effect.provide(MessageStore.layer({ directory, mappedFileSizeCommitLog: 1024 * 1024 })))
  return directory
})

describe("millrace store", () => {
  it.live(
    "lists topics with their messages and offsets",
    () =>
      Effect.gen(function* () {
        const directory = yield* storeDirectory
        const text = yield* run("topics", directory)
        assert.deepInclude(text, { code: 0, stderr: "" })
        assert.match(text.stdout, /^numbers {2,}3 {2,}SimpleCQ {2,}10 {2,}0: 0–4 {2}1: 0–3 {2}2: 0–3$/m)
        const { stdout } = yield* run("topics", directory, "--json")
        assert.deepStrictEqual(JSON.parse(stdout)[0], {
          topic: "numbers",
          queueType: "SimpleCQ",
          messages: 10,
          queues: [
            { queueId: 0, minOffset: 0, maxOffset: 4 },
            { queueId: 1, minOffset: 0, maxOffset: 3 },
            { queueId: 2, minOffset: 0, maxOffset: 3 }
          ]
        })
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "shows the last messages of all queues in the order of the log, and those of one tag however far back",
    () =>
      Effect.gen(function* () {
        const directory = yield* storeDirectory
        const tail = (...flags: ReadonlyArray<string>) =>
          Effect.map(run("tail", directory, "--topic", "numbers", "--json", ...flags), ({ stdout }) =>
            stdout
              .trimEnd()
              .split("\n")
              .map((line) => JSON.parse(line))
          )
        const last = yield* tail("--count", "4")
        assert.deepStrictEqual(
          last.map(({ body }) => JSON.parse(body).n),
          [6, 7, 8, 9]
        )
        assert.deepInclude(last[3], { queueId: 0, queueOffset: 3, key: "key9", tag: "other" })
        assert.deepStrictEqual(
          (yield* tail("--tag", "fifth")).map(({ key }) => key),
          ["key0", "key5"]
        )
        assert.deepStrictEqual(
          (yield* tail("--tag", "fifth", "--count", "1")).map(({ key }) => key),
          ["key5"]
        )
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "shows bytes that are not text in hex, and what a terminal would obey as escapes",
    () =>
      Effect.gen(function* () {
        const directory = yield* storeDirectory
        const { stdout } = yield* run("tail", directory, "--topic", "strange")
        assert.match(stdout, / 0xff00$/m)
        assert.match(stdout, / \\x1b\[2J\\n$/m)
        const json = yield* run("tail", directory, "--topic", "strange", "--json")
        assert.include(json.stdout, '"bodyBase64":"/wA="')
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "names the topics there are when none, or one that is not there, is asked for",
    () =>
      Effect.gen(function* () {
        const directory = yield* storeDirectory
        for (const [flags, complaint] of [
          [[], "which topic? it has numbers, strange"],
          [["--topic", "nope"], "has no topic nope; it has numbers, strange"]
        ] as const) {
          const { code, stderr, stdout } = yield* run("tail", directory, ...flags)
          assert.strictEqual(code, 2)
          assert.strictEqual(stdout, "")
          assert.strictEqual(stderr, `${directory}: ${complaint}`)
        }
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "refuses a directory that is missing, empty or something else, and changes nothing in it",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const topicsOf = (directory: string) => run("topics", directory, "--json")
        const missing = path.join(temporary, "missing")
        const empty = path.join(temporary, "empty")
        const other = path.join(temporary, "other")
        fs.mkdirSync(empty)
        fs.mkdirSync(other)
        fs.writeFileSync(path.join(other, "letter.txt"), "")
        const cases = [
          [missing, /no such directory/],
          [empty, /is not a store: it is empty/],
          [other, /is not a store: it holds letter\.txt/]
        ] as const
        for (const [directory, complaint] of cases) {
          const { code, stderr, stdout } = yield* topicsOf(directory)
          assert.strictEqual(code, 2)
          assert.strictEqual(stdout, "")
          assert.match(stderr, complaint)
        }
        assert.deepStrictEqual(Remains.filesIn(temporary), ["empty", "other", "other/letter.txt"])
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "looks into a store beside the process that writes it",
    () =>
      Effect.gen(function* () {
        const directory = yield* storeDirectory
        yield* Effect.gen(function* () {
          const store = yield* MessageStore.MessageStore
          yield* store.put({ topic: "numbers", queueId: 1, body: bytes("the newest") })
          // Acknowledged is not linked yet: others see it with its queue entry.
          yield* store.get({ topic: "numbers", queueId: 1, offset: 3, waitMs: 10_000 })
          const args = ["tail", directory, "--topic", "numbers", "--count", "1", "--json"]
          const { code, stderr, stdout } = yield* run(...args)
          assert.deepStrictEqual([code, stderr], [0, ""])
          assert.deepInclude(JSON.parse(stdout), { queueId: 1, queueOffset: 3, body: "the newest" })
        }).pipe(Effect.provide(MessageStore.layer({ directory })))
      }).pipe(Effect.scoped),
    LONG
  )
})
