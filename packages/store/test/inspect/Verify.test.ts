import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { machineIdentity } from "../../src/internal/machineIdentity.ts"
import * as Inspect from "../../src/Inspect.ts"
import * as MessageStore from "../../src/MessageStore.ts"
import * as Golden from "../fixtures/Golden.ts"
import * as Temporary from "../fixtures/Temporary.ts"

const options = {
  mappedFileSizeCommitLog: 8192,
  mappedFileSizeConsumeQueue: 20 * 20,
  maxHashSlotNum: 16,
  maxIndexNum: 40,
  // Without it a flipped bit of a body only is found.
  enabledAppendPropCRC: true
}

/** A closed store with a hundred messages in several files, and where they are. */
const filled = Effect.gen(function* () {
  const directory = yield* Temporary.directory
  const results = yield* Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    return yield* store.putMany(
      Array.from({ length: 100 }, (_, id) => ({
        topic: "topic",
        queueId: id % 2,
        body: Buffer.from(String(id).padEnd(200)),
        keys: `key${id} all`
      }))
    )
  }).pipe(Effect.provide(MessageStore.layer({ directory, ...options })))
  return { directory, results }
})

const changeByte = (path: string, offset: number, change: (byte: number) => number): void => {
  const bytes = fs.readFileSync(path)
  bytes[offset] = change(bytes[offset]!)
  fs.writeFileSync(path, bytes)
}

const logFile = (directory: string, position: number): readonly [path: string, offset: number] => {
  const start = Math.floor(position / 8192) * 8192
  return [join(directory, "commitlog", String(start).padStart(20, "0")), position - start]
}

const firstFile = (directory: string): string => join(directory, fs.readdirSync(directory).toSorted()[0]!)

const tagsOf = ({ findings }: Inspect.VerifyReport): ReadonlyArray<string> => [
  ...new Set(findings.map(({ _tag }) => _tag))
]

describe("verify", () => {
  it.effect("finds nothing wrong with a store that was closed, and reads all of it", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      const before = Temporary.contentOf(directory)
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(report.findings, [])
      assert.deepInclude(report, { records: 100, queueEntries: 100, keys: 200, indexEntries: 200, isOpen: false })
      assert.deepStrictEqual(Temporary.contentOf(directory), before)
    })
  )

  it.effect("finds nothing wrong beside the process that writes", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      yield* Effect.gen(function* () {
        const store = yield* MessageStore.MessageStore
        yield* store.putMany(Array.from({ length: 100 }, (_, id) => ({ topic: "topic", body: Buffer.alloc(id) })))
        const report = yield* Inspect.verify({ directory })
        assert.deepStrictEqual(report.findings, [])
        assert.deepInclude(report, { records: 100, isOpen: true })
      }).pipe(Effect.provide(MessageStore.layer({ directory, ...options })))
    })
  )

  it.effect("finds a flipped bit of a record, and the entries that lead to it", () =>
    Effect.gen(function* () {
      const { directory, results } = yield* filled
      const bad = results[40]!
      const [path, offset] = logFile(directory, bad.position)
      changeByte(path, offset + 100, (byte) => byte ^ 4)
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual([...tagsOf(report)].toSorted(), ["IndexWrong", "LogDamage", "QueueEntryWrong"])
      const damages = report.findings.filter(({ _tag }) => _tag === "LogDamage")
      const storedBefore = damages[0]?._tag === "LogDamage" ? damages[0].storedBefore : 0
      assert.deepStrictEqual(damages, [
        {
          _tag: "LogDamage",
          position: bad.position,
          end: bad.position + bad.length,
          file: path,
          reason: "wrong record CRC",
          storedBefore,
          recordsBehind: 59,
          // It was closed in order: only the end of it is read.
          opening: "not read"
        }
      ])
    })
  )

  it.live("says what an opening does with damage, and the opening does that", () =>
    Effect.gen(function* () {
      const openings: Array<unknown> = []
      for (const behind of ["queue entries", "nothing but records"] as const) {
        for (const isPooled of [false, true]) {
          const directory = join(yield* Temporary.directory, "store")
          const messages = Array.from({ length: 100 }, (_, id) => ({
            topic: "topic",
            queueId: 0,
            body: Buffer.from(String(id).padEnd(200))
          }))
          const put = MessageStore.MessageStore.use((store) => store.putMany(messages))
          const results = yield* put.pipe(Effect.provide(MessageStore.layer({ directory, ...options })))
          // As if its process had been killed: with a pool, while its first file was only in memory from there on.
          fs.writeFileSync(join(directory, "abort"), "1")
          const identity = machineIdentity(directory)
          fs.writeFileSync(
            join(directory, "config/machine.json"),
            JSON.stringify({ identity, ...(isPooled ? { isPooled } : {}) })
          )
          if (behind === "nothing but records") {
            fs.writeFileSync(join(directory, "checkpoint"), Buffer.alloc(4096))
            fs.rmSync(join(directory, "consumequeue"), { recursive: true })
          }
          const [path, offset] = logFile(directory, results[10]!.position)
          const log = fs.readFileSync(path)
          fs.writeFileSync(path, log.fill(0, offset))
          const { findings } = yield* Inspect.verify({ directory })
          const damage = findings.find(({ _tag }) => _tag === "LogDamage")
          const said = damage?._tag === "LogDamage" ? damage.opening : "none"
          const opened = yield* Effect.result(Effect.void.pipe(Effect.provide(MessageStore.layer({ directory }))))
          openings.push(said)
          assert.strictEqual(opened._tag, said === "refused" ? "Failure" : "Success", `${behind} ${isPooled}`)
        }
      }
      assert.deepStrictEqual(openings, ["refused", "refused", "refused", "cut"])
    })
  )

  it.effect("finds an entry of a queue that leads elsewhere", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      changeByte(firstFile(join(directory, "consumequeue/topic/1")), 20 * 5 + 7, (byte) => byte + 1)
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(tagsOf(report), ["QueueEntryWrong"])
      assert.deepInclude(report.findings[0], { topic: "topic", queueId: 1, queueOffset: 5 })
    })
  )

  it.effect("finds records that their queue does not have", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      fs.rmSync(join(directory, "consumequeue/topic/0"), { recursive: true })
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(tagsOf(report), ["QueueEntryMissing"])
      assert.lengthOf(report.findings, 50)
    })
  )

  it.effect("finds an entry of the index that leads elsewhere, and the key that is missing", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      changeByte(firstFile(join(directory, "index")), 40 + 16 * 4 + 20 * 7 + 3, (byte) => byte ^ 1)
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual([...tagsOf(report)].toSorted(), ["IndexWrong", "KeyMissing"])
    })
  )

  it.effect("finds a file of config that is no JSON", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      fs.writeFileSync(join(directory, "config/topics.json"), "{")
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(tagsOf(report), ["ConfigUnreadable"])
    })
  )

  it.effect("fails, naming the file, where what tells of the last process cannot be read", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      const path = join(directory, "config/machine.json")
      fs.rmSync(path, { force: true })
      fs.mkdirSync(path)
      const { reason } = yield* Effect.flip(Inspect.verify({ directory }))
      assert.strictEqual(reason._tag, "FileFailed")
      assert.include(reason.message, path)
    })
  )

  it.effect("lists no more than was asked for, and counts all", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      fs.rmSync(join(directory, "consumequeue/topic/0"), { recursive: true })
      const report = yield* Inspect.verify({ directory, findingsMax: 3 })
      assert.lengthOf(report.findings, 3)
      assert.strictEqual(report.findingCount, 50)
    })
  )

  it.effect("finds nothing wrong with what the real store closed, or left with a torn end", () =>
    Effect.gen(function* () {
      for (const name of Golden.names.filter((golden) => !golden.endsWith("aborted"))) {
        const directory = yield* Temporary.directory
        Golden.unpack(name, directory)
        const report = yield* Inspect.verify({ directory })
        assert.deepStrictEqual(report.findings, [], name)
        assert.isAbove(report.indexEntries, 0, name)
        assert.strictEqual(report.beyondEnd > 0, name.endsWith("torn"), name)
      }
    })
  )

  it.effect("ends with an index file of a terabyte, whose slots nobody can count", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      const path = firstFile(join(directory, "index"))
      fs.truncateSync(path, 2 ** 40)
      const report = yield* Inspect.verify({ directory, maxHashSlotNum: 16, maxIndexNum: 40 })
      assert.deepInclude(report.findings, {
        _tag: "IndexWrong",
        file: path,
        entry: 0,
        detail: "no number of slots fits its entries"
      })
    })
  )

  it.effect("has a dump that refuses a log file of a terabyte", () =>
    Effect.gen(function* () {
      const path = join(yield* Temporary.directory, "00000000000000000000")
      fs.writeFileSync(path, "")
      fs.truncateSync(path, 2 ** 40)
      const { reason } = yield* Effect.flip(Stream.runDrain(Inspect.dump(path)))
      assert.strictEqual(reason._tag, "ForeignFile")
    })
  )

  it.effect("has a dump that refuses a checkpoint of four bytes", () =>
    Effect.gen(function* () {
      const path = join(yield* Temporary.directory, "checkpoint")
      fs.writeFileSync(path, "1234")
      const { reason } = yield* Effect.flip(Stream.runDrain(Inspect.dump(path)))
      assert.strictEqual(reason._tag, "ForeignFile")
    })
  )
})
