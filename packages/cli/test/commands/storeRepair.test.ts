import { assert, describe, it } from "@effect/vitest"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"
import { jsonLines, run } from "../support/StoreCommand.ts"

const FILE_LENGTH = 8192

/** A closed store with sixty messages in three files of the log, and where they are. */
const filled = Effect.gen(function* () {
  const directory = path.join(yield* Millrace.directory, "store")
  const results = yield* Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    return yield* store.putMany(
      Array.from({ length: 60 }, (_, id) => ({
        topic: "trades",
        body: Buffer.from(String(id).padEnd(200)),
        keys: `key${id}`
      }))
    )
  }).pipe(
    Effect.provide(
      MessageStore.layer({
        directory,
        mappedFileSizeCommitLog: FILE_LENGTH,
        mappedFileSizeConsumeQueue: 400,
        maxHashSlotNum: 20,
        maxIndexNum: 40
      })
    )
  )
  return { directory, results }
})

const logFile = (directory: string, position: number): readonly [file: string, offset: number] => {
  const start = Math.floor(position / FILE_LENGTH) * FILE_LENGTH
  return [path.join(directory, "commitlog", String(start).padStart(20, "0")), position - start]
}

const flip = (directory: string, position: number): void => {
  const [file, offset] = logFile(directory, position)
  const bytes = fs.readFileSync(file)
  bytes[offset]! ^= 1
  fs.writeFileSync(file, bytes)
}

describe("millrace store, on damage", () => {
  it.live("verify says what is wrong and what to type next, and ends with 1", () =>
    Effect.gen(function* () {
      const { directory, results } = yield* filled
      const whole = yield* run("verify", directory)
      assert.deepInclude(whole, { code: 0, stderr: "" })
      assert.include(whole.stdout, "60 records")
      assert.include(whole.stdout, "✓ everything agrees")
      flip(directory, results[57]!.position + 120)
      const { code, stderr, stdout } = yield* run("verify", directory)
      assert.strictEqual(code, 1)
      assert.include(stdout, `✗ the log is damaged from ${results[57]!.position} to ${results[58]!.position}`)
      assert.match(stderr, / store repair \S+store$/)
      const [report] = jsonLines(yield* run("verify", directory, "--json"))
      assert.deepInclude(report.findings.at(-1), { _tag: "IndexWrong" })
    }).pipe(Effect.scoped)
  )

  it.live("repair proposes, changes nothing without --yes, and then mends what open refused", () =>
    Effect.gen(function* () {
      const { directory, results } = yield* filled
      flip(directory, results[57]!.position + 120)
      const refused = yield* run("open", directory)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, `damaged at position ${results[57]!.position}`)
      assert.include(refused.stderr, "repair it")
      const before = fs.readFileSync(logFile(directory, results[57]!.position)[0])
      const proposed = yield* run("repair", directory)
      assert.strictEqual(proposed.code, 1)
      assert.include(proposed.stdout, "keep")
      assert.match(proposed.stdout, /cut .*loses 2 records/)
      assert.include(proposed.stderr, "--choose keep --yes")
      assert.deepStrictEqual(fs.readFileSync(logFile(directory, results[57]!.position)[0]), before)
      const backup = `${directory}-backup`
      const done = yield* run("repair", directory, "--yes", "--backup", backup)
      assert.deepInclude(done, { code: 0, stderr: "" })
      assert.include(done.stdout, backup)
      assert.isTrue(fs.existsSync(path.join(backup, "repair.json")))
      assert.deepInclude(yield* run("verify", directory), { code: 0 })
      const got = jsonLines(
        yield* run("get", directory, "--topic", "trades", "--queue", "0", "--offset", "57", "--json")
      )
      assert.deepStrictEqual(
        got[0].messages.map(({ queueOffset }: { queueOffset: number }) => queueOffset),
        [58, 59]
      )
      const again = yield* run("repair", directory, "--yes")
      assert.deepInclude(again, { code: 0, stderr: "" })
      assert.include(again.stdout, "there is nothing to repair")
    }).pipe(Effect.scoped)
  )

  it.live("repair does what is chosen, and says what cannot be", () =>
    Effect.gen(function* () {
      const { directory, results } = yield* filled
      flip(directory, results[20]!.position + 120)
      const wrong = yield* run("repair", directory, "--choose", "rebuild", "--yes")
      assert.strictEqual(wrong.code, 2)
      assert.include(wrong.stderr, "keep, cut")
      const done = yield* run("repair", directory, "--choose", "cut", "--yes", "--json")
      assert.strictEqual(done.code, 0)
      assert.deepInclude(jsonLines(done)[0].recovery, { maxPosition: results[20]!.position })
    }).pipe(Effect.scoped)
  )

  it.live("verify names a file that is missing and one that is foreign, and repair mends both", () =>
    Effect.gen(function* () {
      const { directory, results } = yield* filled
      const [missing] = logFile(directory, FILE_LENGTH)
      fs.rmSync(missing)
      const foreign = path.join(directory, "commitlog", "notes.txt")
      fs.writeFileSync(foreign, "mine")
      const { code, stdout } = yield* run("verify", directory)
      assert.strictEqual(code, 1)
      assert.include(stdout, `✗ ${missing} is missing, with files behind it`)
      assert.include(stdout, `✗ ${foreign} is no file of the store: its name is not a position of 20 digits`)
      const done = yield* run("repair", directory, "--yes", "--json")
      assert.strictEqual(done.code, 0)
      const kept = results.filter(({ position }) => Math.floor(position / FILE_LENGTH) !== 1)
      // One record stands for the file that was made.
      assert.deepInclude(jsonLines(done)[0].verified, { records: kept.length + 1, findingCount: 0 })
      assert.deepInclude(yield* run("verify", directory), { code: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("dump shows records, damage and what was never written of a file of the log", () =>
    Effect.gen(function* () {
      const { directory, results } = yield* filled
      flip(directory, results[3]!.position + 120)
      const [file] = logFile(directory, 0)
      const kinds = jsonLines(yield* run("dump", file, "--json")).map(({ kind, position }) => [kind, position ?? null])
      assert.deepStrictEqual(kinds.slice(0, 5), [
        ["file", null],
        ["record", null],
        ["record", null],
        ["record", null],
        ["no record", results[3]!.position]
      ])
      assert.strictEqual(kinds.at(-1)![0], "blank")
      const text = yield* run("dump", file)
      assert.include(text.stdout, "reason=wrong record CRC")
    }).pipe(Effect.scoped)
  )

  it.live("dump reads every kind of file, and says which it does not", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      const first = (folder: string) => path.join(directory, folder, fs.readdirSync(path.join(directory, folder))[0]!)
      const kindsOf = (file: string) =>
        Effect.map(run("dump", file, "--json"), (ended) => [...new Set(jsonLines(ended).map(({ kind }) => kind))])
      assert.deepStrictEqual(yield* kindsOf(first("consumequeue/trades/0")), ["file", "entry"])
      assert.deepStrictEqual(yield* kindsOf(first("index")), ["file", "header", "entry"])
      assert.deepStrictEqual(yield* kindsOf(path.join(directory, "checkpoint")), ["file", "checkpoint"])
      assert.deepStrictEqual(yield* kindsOf(path.join(directory, "lock")), ["file", "text"])
      assert.deepStrictEqual(yield* kindsOf(path.join(directory, "config/queues.json")), ["file", "json"])
      const missing = yield* run("dump", path.join(directory, "commitlog/00000000000000099999"))
      assert.deepInclude(missing, { code: 2 })
      assert.include(missing.stderr, "no such file")
      fs.writeFileSync(path.join(directory, "letter.txt"), "")
      const foreign = yield* run("dump", path.join(directory, "letter.txt"))
      assert.deepInclude(foreign, { code: 2 })
      assert.include(foreign.stderr, "is no file of a store")
    }).pipe(Effect.scoped)
  )

  it.live("offsets shows how far groups have come that RocketMQ has left, with keys that are no JSON", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      const table = '{"offsetTable":{"trades@settlement":{0:42},"trades@audit":{0:60,7:1}}}'
      fs.writeFileSync(path.join(directory, "config/consumerOffset.json"), table)
      const [all] = jsonLines(yield* run("offsets", directory, "--json"))
      assert.deepStrictEqual(
        all.map(({ group, lag, offset, queueId }: Record<string, unknown>) => [group, queueId, offset, lag]),
        [
          ["audit", 0, 60, 0],
          ["audit", 7, 1, 0],
          ["settlement", 0, 42, 18]
        ]
      )
      const one = yield* run("offsets", directory, "--group", "settlement")
      assert.match(one.stdout, /^settlement +trades +0 +42 +60 +18$/m)
    }).pipe(Effect.scoped)
  )

  it.live("names a setting that does not exist, and the one that may be meant", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      const unknown = yield* run("topics", directory, "--config", "mappedFileSize=1")
      assert.strictEqual(unknown.code, 2)
      assert.include(unknown.stderr, "did you mean mappedFileSizeCommitLog or mappedFileSizeConsumeQueue")
      const noNumber = yield* run("topics", directory, "--config", "maxIndexNum=many")
      assert.deepInclude(noNumber, { code: 2, stderr: "--config maxIndexNum: many is not a whole number" })
      const noPair = yield* run("topics", directory, "--config", "maxIndexNum")
      assert.strictEqual(noPair.code, 2)
      const illegal = yield* run("topics", directory, "--config", "maxIndexNum=-3")
      assert.strictEqual(illegal.code, 2)
    }).pipe(Effect.scoped)
  )
})
