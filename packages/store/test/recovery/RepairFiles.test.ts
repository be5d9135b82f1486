/** Files of a store that are missing, have a wrong length, or are none of its own: named, and mended. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { basename, join } from "node:path"
import { assert } from "vitest"
import * as IndexDescriptor from "../../src/index/IndexDescriptor.ts"
import * as Inspect from "../../src/Inspect.ts"
import * as MessageStore from "../../src/MessageStore.ts"
import * as Repair from "../../src/Repair.ts"
import * as FileNaming from "../../src/mapped/FileNaming.ts"
import {
  all,
  FILE_LENGTH,
  filled,
  flip,
  idsOf,
  message,
  options,
  reasonOf,
  using,
  without
} from "../fixtures/DamagedStore.ts"
import * as Temporary from "../fixtures/Temporary.ts"

const INDEX_LENGTH = IndexDescriptor.fileLength(options.maxHashSlotNum, options.maxIndexNum)

const fileAt = (directory: string, index: number): string =>
  join(directory, "commitlog", FileNaming.format(index * FILE_LENGTH))

const tagsOf = ({ findings }: Inspect.VerifyReport) =>
  findings.filter(({ _tag }) => _tag.startsWith("File")).map(({ _tag }) => _tag)

const choicesOf = ({ choices }: Repair.Plan) => choices.map(({ name, recordsLost }) => [name, recordsLost] as const)

/** Ids of the messages that begin in one of these files of the log. */
const idsIn = (results: ReadonlyArray<{ readonly position: number }>, ...files: ReadonlyArray<number>) =>
  all.filter((id) => files.includes(Math.floor(results[id]!.position / FILE_LENGTH)))

/** The store is refused until it is repaired, and then everything agrees, and it takes more. */
const mend = (directory: string, backup: string, choice: Repair.Choice["name"], kept: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    assert.include(["ForeignFile", "NotAStore", "FileFailed"], yield* reasonOf(using(directory, Effect.void)))
    const before = Temporary.contentOf(directory)
    yield* Repair.plan({ directory })
    assert.deepStrictEqual(Temporary.contentOf(directory), before)
    const report = yield* Repair.apply({ directory, choice, backup })
    assert.deepStrictEqual(report.verified.findings, [])
    // Nobody has said how large it was.
    for (const name of fs.readdirSync(join(directory, "index"))) {
      assert.strictEqual(fs.statSync(join(directory, "index", name)).size, INDEX_LENGTH)
    }
    yield* using(
      directory,
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* idsOf, kept)
        const store = yield* MessageStore.MessageStore
        const [last] = kept.slice(-1)
        assert.lengthOf(yield* store.query({ topic: "topic", key: `key${last}` }), 1)
        yield* store.put({ ...message(0), topic: "more" })
      })
    )
    return report
  })

describe("a file of the log that is missing between others", () => {
  it.effect("is named by verify, and made anew by a repair that keeps what is before and behind", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      fs.rmSync(fileAt(directory, 1))
      const report = yield* Inspect.verify({ directory })
      assert.deepInclude(report.findings, {
        _tag: "FileMissing",
        file: fileAt(directory, 1),
        position: FILE_LENGTH,
        length: FILE_LENGTH
      })
      const lost = idsIn(results, 1)
      assert.deepStrictEqual(choicesOf(yield* Repair.plan({ directory })), [
        ["keep", 0],
        ["cut", all.length - lost.at(-1)! - 1]
      ])
      const done = yield* mend(directory, backup, "keep", without(...lost))
      assert.include(done.files, fileAt(directory, 1))
      const { made, undo } = JSON.parse(fs.readFileSync(join(backup, "repair.json"), "utf8")) as {
        readonly made: ReadonlyArray<string>
        readonly undo: string
      }
      assert.deepStrictEqual(made, [fileAt(directory, 1)])
      assert.include(undo, `rm -f '${fileAt(directory, 1)}'`)
    })
  )

  it.effect("ends the log where that is chosen; what is behind is in the backup", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      fs.rmSync(fileAt(directory, 1))
      const last = fs.readFileSync(fileAt(directory, 2))
      yield* mend(directory, backup, "cut", idsIn(results, 0))
      assert.deepStrictEqual(fs.readFileSync(join(backup, "commitlog", basename(fileAt(directory, 2)))), last)
    })
  )

  it.effect("may be several, with damage in what is left", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      const [damaged] = idsIn(results, 3)
      fs.rmSync(fileAt(directory, 1))
      fs.rmSync(fileAt(directory, 2))
      flip(directory, results[damaged!]!.position + 100)
      yield* mend(directory, backup, "keep", without(...idsIn(results, 1, 2), damaged!))
    })
  )

  it.effect(
    "has a record at its beginning, of the time of the one behind it, so that it goes by age like any other",
    () =>
      Effect.gen(function* () {
        const { backup, directory } = yield* filled
        fs.rmSync(fileAt(directory, 1))
        yield* Repair.apply({ directory, choice: "keep", backup })
        const record = fs.readFileSync(fileAt(directory, 1))
        const next = fs.readFileSync(fileAt(directory, 2))
        const { recordCount } = yield* Effect.map(Stream.runCollect(Inspect.dump(fileAt(directory, 1))), (lines) => ({
          recordCount: lines.filter(({ kind }) => kind === "record").length
        }))
        assert.strictEqual(recordCount, 1)
        assert.strictEqual(record.readInt32BE(4), next.readInt32BE(4))
        // Store time of the first record, whose hosts are IPv4.
        assert.strictEqual(record.readBigInt64BE(56), next.readBigInt64BE(56))
      })
  )

  it.effect("is not looked for over more files than a log can lose", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      fs.renameSync(fileAt(directory, 3), fileAt(directory, 1_000_000))
      assert.strictEqual(yield* reasonOf(Inspect.verify({ directory })), "ForeignFile")
      assert.strictEqual(yield* reasonOf(Repair.plan({ directory })), "ForeignFile")
    })
  )
})

describe("a file of the log of another length", () => {
  it.effect("that is shorter is named, made longer, and loses what stood there alone", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      const inFile = idsIn(results, 1)
      const first = inFile[3]!
      fs.truncateSync(fileAt(directory, 1), results[first]!.position - FILE_LENGTH + 20)
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(tagsOf(report), ["FileLengthWrong"])
      yield* mend(directory, backup, "keep", without(...inFile.filter((id) => id >= first)))
    })
  )

  it.effect("that is empty between others counts as missing", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      fs.truncateSync(fileAt(directory, 1), 0)
      yield* mend(directory, backup, "keep", without(...idsIn(results, 1)))
      assert.strictEqual(fs.statSync(join(backup, "commitlog", basename(fileAt(directory, 1)))).size, 0)
    })
  )

  it.effect("that is the last one ends the log where its last whole record ends", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      const file = Math.floor(results[99]!.position / FILE_LENGTH)
      fs.truncateSync(fileAt(directory, file), results[99]!.position - file * FILE_LENGTH + 50)
      assert.deepStrictEqual(choicesOf(yield* Repair.plan({ directory })), [["keep", 0]])
      yield* mend(directory, backup, "keep", without(99))
    })
  )

  for (const length of [FILE_LENGTH + 4, 2 ** 40]) {
    it.effect(`that is longer is cut to its length, and kept whole in the backup (${length} bytes)`, () =>
      Effect.gen(function* () {
        const { backup, directory } = yield* filled
        fs.truncateSync(fileAt(directory, 0), length)
        yield* mend(directory, backup, "keep", all)
        assert.strictEqual(fs.statSync(fileAt(directory, 0)).size, FILE_LENGTH)
        const kept = fs.statSync(join(backup, "commitlog", basename(fileAt(directory, 0))))
        assert.strictEqual(kept.size, length)
        // Of a terabyte that nobody wrote nothing is copied.
        assert.isAtMost(kept.blocks * 512, 2 * FILE_LENGTH)
      })
    )
  }
})

describe("what is among the files of a store and none of them", () => {
  it.effect("is named and put aside: by name, by place, as a directory", () =>
    Effect.gen(function* () {
      const { backup, directory } = yield* filled
      const foreign = [
        join(directory, "commitlog", "notes.txt"),
        join(directory, "commitlog", FileNaming.format(17)),
        join(directory, "consumequeue", "topic", "1", "notes.txt"),
        join(directory, "consumequeue", "topic", "two")
      ]
      foreign.forEach((file) => fs.writeFileSync(file, "mine"))
      fs.mkdirSync(join(directory, "abort"))
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(
        tagsOf(report),
        Array.from({ length: foreign.length + 1 }, () => "FileForeign")
      )
      yield* mend(directory, backup, "rebuild", all)
      for (const file of foreign) {
        assert.strictEqual(fs.readFileSync(file.replace(directory, backup), "utf8"), "mine")
        assert.isFalse(fs.existsSync(file))
      }
    })
  )

  it.effect("does not make a directory a store that has none of its files", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      fs.mkdirSync(join(directory, "commitlog"))
      fs.writeFileSync(join(directory, "commitlog", "notes.txt"), "mine")
      assert.strictEqual(yield* reasonOf(Repair.plan({ directory })), "NotAStore")
      assert.strictEqual(yield* reasonOf(Inspect.verify({ directory })), "NotAStore")
    })
  )
})

describe("a queue whose files are not as they should be", () => {
  for (const [what, break_] of [
    ["a file is missing", (file: string) => fs.rmSync(file)],
    ["a file is shorter", (file: string) => fs.truncateSync(file, 100)],
    ["a file is longer", (file: string) => fs.appendFileSync(file, "more")]
  ] as const) {
    it.effect(`is put aside and made anew from the log, and the others stay (${what})`, () =>
      Effect.gen(function* () {
        const { backup, directory } = yield* filled
        const other = join(directory, "consumequeue", "topic", "0", FileNaming.format(0))
        const { ino } = fs.statSync(other)
        break_(join(directory, "consumequeue", "topic", "1", FileNaming.format(400)))
        yield* mend(directory, backup, "rebuild", all)
        assert.strictEqual(fs.statSync(other).ino, ino)
        assert.isTrue(fs.existsSync(join(backup, "consumequeue", "topic", "1")))
      })
    )
  }

  it.effect("is found by its tags all the same where its extended queue was put aside", () =>
    Effect.gen(function* () {
      const directory = join(yield* Temporary.directory, "store")
      const extended = { ...options, directory, enableConsumeQueueExt: true, mappedFileSizeConsumeQueueExt: 400 }
      const use = <A, E>(body: (store: MessageStore.MessageStore["Service"]) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(MessageStore.MessageStore, body), MessageStore.layer(extended))
      const found = use((store) => store.get({ topic: "topic", queueId: 0, offset: 0, maxCount: 100, tags: "even" }))
      yield* use((store) =>
        store.putMany(all.map((id) => ({ ...message(id), queueId: 0, tags: id % 2 === 0 ? "even" : "odd" })))
      )
      fs.truncateSync(join(directory, "consumequeue_ext", "topic", "0", FileNaming.format(0)), 10)
      assert.strictEqual(yield* reasonOf(found), "ForeignFile")
      assert.deepStrictEqual(tagsOf(yield* Inspect.verify({ directory })), ["FileLengthWrong"])
      const { backup, verified } = yield* Repair.apply({ directory, choice: "rebuild", enableConsumeQueueExt: true })
      assert.deepStrictEqual(verified.findings, [])
      fs.rmSync(backup, { recursive: true })
      // A read stays within one file of the queue, of twenty entries.
      assert.lengthOf((yield* found).messages, 10)
    })
  )

  it.effect("is read with the length that the others have, and so is a checkpoint of four bytes", () =>
    Effect.gen(function* () {
      const { backup, directory } = yield* filled
      fs.truncateSync(join(directory, "consumequeue", "topic", "0", FileNaming.format(0)), 20)
      fs.truncateSync(join(directory, "checkpoint"), 4)
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(tagsOf(report), ["FileLengthWrong", "FileLengthWrong"])
      yield* mend(directory, backup, "rebuild", all)
    })
  )
})
