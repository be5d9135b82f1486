import { assert, describe, it } from "@effect/vitest"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"
import { jsonLines, run, runWith } from "../support/StoreCommand.ts"

const SMALL = [
  "mappedFileSizeCommitLog=8192",
  "mappedFileSizeConsumeQueue=400",
  "maxHashSlotNum=50",
  "maxIndexNum=40"
].flatMap((setting) => ["--config", setting])

const putLine = (id: number, more: object = {}): string =>
  JSON.stringify({
    id,
    topic: "trades",
    queueId: id % 2,
    text: `body ${id}`,
    keys: `key${id} all`,
    tags: `Tag${id % 3}`,
    ...more
  })

const lines = (...all: ReadonlyArray<string>): string => all.map((line) => `${line}\n`).join("")

/** A store that an import has made: a hundred messages in two queues of `trades`. */
const imported = Effect.gen(function* () {
  const directory = path.join(yield* Millrace.directory, "store")
  const puts = Array.from({ length: 100 }, (_, id) => putLine(id))
  const ended = yield* runWith(lines(...puts), "import", directory, ...SMALL)
  assert.deepInclude(ended, { code: 0, stderr: "" })
  return { directory, results: jsonLines(ended) }
})

describe("millrace store for scripts", () => {
  it.live("import answers each put with its id, RocketMQ's status and its position", () =>
    Effect.gen(function* () {
      const { directory, results } = yield* imported
      assert.deepStrictEqual(
        results.map(({ id, status }) => [id, status]),
        Array.from({ length: 100 }, (_, id) => [id, "PUT_OK"])
      )
      const records = jsonLines(yield* run("export", directory, "--json")).slice(0, -1)
      assert.deepStrictEqual(
        records.map(({ physicalOffset }) => physicalOffset),
        results.map(({ position }) => position)
      )
      assert.deepInclude(records[7], { topic: "trades", queueId: 1, queueOffset: 3, keys: "key7 all", tags: "Tag1" })
      assert.strictEqual(Buffer.from(records[7].body, "base64").toString(), "body 7")
    }).pipe(Effect.scoped)
  )

  it.live("import takes every field, and batches", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* Millrace.directory, "store")
      const fields = {
        flag: 7,
        sysFlag: 0,
        bornTimestamp: 1_700_000_000_000,
        bornHost: "10.1.2.3:40123",
        storeHost: "[2001:db8:0:0:0:0:0:17]:10911",
        reconsumeTimes: 2,
        preparedTransactionOffset: 9
      }
      const one = JSON.stringify({ topic: "a", queueId: 3, body: "/wA=", properties: { color: "blau" }, ...fields })
      const batch = JSON.stringify({
        id: "b",
        batch: [
          { topic: "a", text: "x" },
          { topic: "a", text: "y" }
        ]
      })
      const results = jsonLines(yield* runWith(lines(one, "", batch), "import", directory, ...SMALL, "--flush", "sync"))
      const byId = new Map(results.map((result) => [result.id, result]))
      assert.deepInclude(byId.get(null), { status: "PUT_OK", queueId: 3, durability: "disk" })
      const [first, ...others] = jsonLines(yield* run("export", directory, "--json"))
      assert.deepInclude(first, { body: "/wA=", ...fields, sysFlag: 32 })
      assert.deepStrictEqual(first.properties.color, "blau")
      assert.deepStrictEqual(
        byId.get("b").positions,
        others.slice(0, 2).map(({ physicalOffset }) => physicalOffset)
      )
    }).pipe(Effect.scoped)
  )

  it.live("import goes on behind what is refused, says why, and ends with 1", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* Millrace.directory, "store")
      const illegal = putLine(2, { topic: "a/b" })
      const long = putLine(3, { properties: { long: "x".repeat(33_000) } })
      const ended = yield* runWith(lines(putLine(1), illegal, long, putLine(4)), "import", directory, ...SMALL)
      assert.deepStrictEqual(
        jsonLines(ended).map(({ id, status }) => [id, status]),
        [
          [1, "PUT_OK"],
          [2, "MESSAGE_ILLEGAL"],
          [3, "PROPERTIES_SIZE_EXCEEDED"],
          [4, "PUT_OK"]
        ]
      )
      assert.strictEqual(ended.code, 1)
      assert.include(ended.stderr, "2 of 4 puts were refused")
    }).pipe(Effect.scoped)
  )

  it.live("import and put say what queues a new topic has, and refuse another type afterwards", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* Millrace.directory, "store")
      const inner = (count: number) => putLine(count, { sysFlag: 128, properties: { INNER_NUM: String(count) } })
      const batches = lines(inner(2), inner(4))
      const ended = yield* runWith(batches, "import", directory, ...SMALL, "--queue-type", "BatchCQ")
      assert.deepInclude(ended, { code: 0, stderr: "" })
      const other = yield* runWith(lines(putLine(1)), "import", directory, "--queue-type", "SimpleCQ")
      assert.strictEqual(other.code, 1)
      assert.deepInclude(jsonLines(other)[0], { id: 1, status: "UNKNOWN_ERROR", reason: "OptionIllegal" })
      const put = yield* run("put", directory, "x", "--topic", "others", "--queue-type", "BatchCQ")
      assert.strictEqual(put.code, 0)
      const topics = JSON.parse((yield* run("topics", directory, "--json")).stdout)
      assert.deepStrictEqual(
        topics.map(({ messages, queueType, topic }: Record<string, unknown>) => [topic, queueType, messages]),
        [
          ["others", "BatchCQ", 1],
          ["trades", "BatchCQ", 6]
        ]
      )
    }).pipe(Effect.scoped)
  )

  for (const flush of ["sync", "async"]) {
    it.live(`import names the line that is none, after the results of those before it (${flush})`, () =>
      Effect.gen(function* () {
        const directory = path.join(yield* Millrace.directory, "store")
        const args = ["import", directory, ...SMALL, "--flush", flush]
        const before = [1, 2, 3].map((id) => putLine(id))
        const ended = yield* runWith(lines(...before, '{"topic":"t","txt":"typo"}', putLine(5)), ...args)
        assert.strictEqual(ended.code, 2)
        assert.match(ended.stderr, /^standard input: line 4: .*txt/s)
        assert.deepStrictEqual(
          jsonLines(ended)
            .map(({ id }) => id)
            .toSorted((a, b) => a - b),
          [1, 2, 3]
        )
        const both = yield* runWith(lines('{"topic":"t","body":"aGk=","text":"hi"}'), ...args)
        assert.match(both.stderr, /^standard input: line 1: body and text are both there/)
      }).pipe(Effect.scoped)
    )
  }

  it.live("get gives the status and where to go on", () =>
    Effect.gen(function* () {
      const { directory } = yield* imported
      const get = (...args: ReadonlyArray<string>) =>
        Effect.map(
          run("get", directory, "--topic", "trades", "--queue", "0", "--json", ...args),
          (ended) => jsonLines(ended)[0]
        )
      const two = yield* get("--offset", "3", "--max", "2")
      assert.deepInclude(two, { status: "FOUND", nextOffset: 5, minOffset: 0, maxOffset: 50 })
      assert.deepStrictEqual(
        two.messages.map(({ queueOffset }: { queueOffset: number }) => queueOffset),
        [3, 4]
      )
      assert.deepInclude(yield* get("--offset", "50"), { status: "OFFSET_OVERFLOW_ONE", nextOffset: 50 })
      assert.deepInclude(yield* get("--offset", "-1"), { status: "OFFSET_TOO_SMALL", nextOffset: 0 })
      const tagged = yield* get("--offset", "0", "--tags", "Tag1 || Tag2", "--max", "3")
      assert.deepStrictEqual(
        tagged.messages.map(({ tags }: { tags: string }) => tags),
        ["Tag2", "Tag1", "Tag2"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("query finds by key, time and id, and gives the index's own answer", () =>
    Effect.gen(function* () {
      const { directory, results } = yield* imported
      const query = (...args: ReadonlyArray<string>) => run("query", directory, "--topic", "trades", "--json", ...args)
      const positions = (lines: ReadonlyArray<{ physicalOffset: number }>) =>
        lines.map(({ physicalOffset }) => physicalOffset)
      const at = (...ids: ReadonlyArray<number>) => ids.map((id) => results[id].position)
      assert.deepStrictEqual(positions(jsonLines(yield* query("--key", "key7"))), at(7))
      assert.deepStrictEqual(positions(jsonLines(yield* query("--key", "all", "--max", "2"))), at(98, 99))
      assert.deepStrictEqual(positions(jsonLines(yield* query("--key", "all", "--max", "3", "--raw"))), at(97, 98, 99))
      assert.deepStrictEqual(positions(jsonLines(yield* query("--time", "0", "--max", "3"))), at(0, 1, 2))
      assert.deepStrictEqual(jsonLines(yield* query("--key", "all", "--end", "1000")), [])
      const [found] = jsonLines(yield* query("--key", "key5"))
      assert.deepStrictEqual(jsonLines(yield* run("query", directory, "--id", found.offsetMsgId, "--json")), [found])
      const neither = yield* run("query", directory)
      assert.deepInclude(neither, { code: 2, stderr: "millrace store query: needs one of --key, --id and --time" })
    }).pipe(Effect.scoped)
  )

  it.live("offset-by-time gives the offset for a time", () =>
    Effect.gen(function* () {
      const { directory, results } = yield* imported
      const offset = (...args: ReadonlyArray<string>) =>
        Effect.map(
          run("offset-by-time", directory, "--topic", "trades", "--queue", "1", "--json", ...args),
          (ended) => jsonLines(ended)[0]
        )
      assert.deepStrictEqual(yield* offset("--time", "0"), { offset: 0 })
      const last = String(results[99].storeTimestamp + 1)
      assert.deepStrictEqual(yield* offset("--time", last, "--boundary", "upper"), { offset: 49 })
      assert.deepStrictEqual(yield* offset("--time", last, "--boundary", "lower"), { offset: 50 })
      const missing = yield* run("offset-by-time", directory, "--topic", "trades", "--queue", "9", "--time", "0")
      assert.strictEqual(missing.code, 2)
      assert.include(missing.stderr, "has no queue 9 of topic trades: it has the queues 0, 1")
    }).pipe(Effect.scoped)
  )

  it.live("open recovers what was left open, and says what it did", () =>
    Effect.gen(function* () {
      const { directory } = yield* imported
      fs.writeFileSync(path.join(directory, "abort"), "1")
      fs.rmSync(path.join(directory, "consumequeue/trades/1"), { recursive: true })
      const [report] = jsonLines(yield* run("open", directory, "--json"))
      assert.deepInclude(report, { exit: "crash", recordsRead: 100, tornBytes: 0, queueEntriesRebuilt: 50 })
      assert.isFalse(fs.existsSync(path.join(directory, "abort")))
      assert.deepInclude(yield* run("verify", directory), { code: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("bench ends with one line of figures", () =>
    Effect.gen(function* () {
      const temporary = yield* Millrace.directory
      const bench = (...args: ReadonlyArray<string>) =>
        run("bench", path.join(temporary, "store"), ...SMALL, "--length", "100", "--messages", "200", "--json", ...args)
      const each = [[], ["--batch", "10", "--producers", "3", "--flush", "sync"], ["--read"], ["--query"]]
      for (const args of each) {
        const [figures, ...others] = jsonLines(yield* bench(...args))
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(Object.keys(figures), [
          "messagesPerSecond",
          "bytesPerSecond",
          "p50Us",
          "p99Us",
          "eventLoopDelayP99Us"
        ])
        assert.isAbove(figures.messagesPerSecond, 0)
      }
    }).pipe(Effect.scoped)
  )

  it.live("refuses to write a store in use, and names the process", () =>
    Effect.gen(function* () {
      const { directory } = yield* imported
      yield* Effect.gen(function* () {
        yield* MessageStore.MessageStore
        const writing = [["open"], ["put", "body", "--topic", "t"], ["import"], ["repair", "--yes"]] as const
        for (const [command, ...args] of writing) {
          const { code, stderr } = yield* run(command, directory, ...args)
          // Nothing is wrong with it, which comes before the lock.
          if (command !== "repair") {
            assert.strictEqual(code, 1, command)
            assert.include(stderr, `is open in process ${process.pid}`)
          }
        }
        const reading = [
          ["get", "--topic", "trades", "--queue", "0", "--offset", "0"],
          ["tail"],
          ["query", "--topic", "trades", "--key", "all"],
          ["topics"],
          ["queues"],
          ["offsets"],
          ["stat"],
          ["verify"],
          ["export"],
          ["offset-by-time", "--topic", "trades", "--queue", "0", "--time", "0"]
        ]
        for (const [command, ...args] of reading) {
          assert.deepInclude(yield* run(command!, directory, ...args, "--json"), { code: 0, stderr: "" }, command)
        }
      }).pipe(Effect.provide(MessageStore.layer({ directory })))
    }).pipe(Effect.scoped)
  )
})
