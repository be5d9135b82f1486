import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import * as Inspect from "../src/Inspect.ts"
import type * as MessageStore from "../src/MessageStore.ts"
import * as Repair from "../src/Repair.ts"
import * as Temporary from "./fixtures/Temporary.ts"
import * as WithStore from "./fixtures/WithStore.ts"

const COUNT = 40
const NAME = "00000000000000000000"
const options = { mappedFileSizeCommitLog: 8192, maxHashSlotNum: 16, maxIndexNum: 40 }
const extended = { enableConsumeQueueExt: true, mappedFileSizeConsumeQueueExt: 20 * 16 + 4 }

const withStore = WithStore.withStore(options)

const filled = Effect.gen(function* () {
  const directory = join(yield* Temporary.directory, "store")
  const messages = Array.from({ length: COUNT }, (_, id) => {
    return { topic: "topic", body: Buffer.from(String(id)), tags: `Tag${id % 4}` }
  })
  yield* withStore(directory, (store) => store.putMany(messages), extended)
  return { directory, unitFile: join(directory, "consumequeue_ext/topic/0", NAME) }
})

const taggedOffsets = (store: MessageStore.MessageStore["Service"]) =>
  Effect.map(
    store.get({ topic: "topic", queueId: 0, offset: 0, maxCount: 100, tags: "Tag2", matchTagText: false }),
    ({ messages }) => messages.map(({ queueOffset }) => queueOffset)
  )

const EXPECTED = Array.from({ length: COUNT / 4 }, (_, index) => 4 * index + 2)

describe("a store with extended queues", () => {
  it.effect("is verified unit by unit, opens with the length of its files, and says where an entry leads", () =>
    Effect.gen(function* () {
      const { directory, unitFile } = yield* filled
      assert.deepStrictEqual((yield* Inspect.verify({ directory })).findings, [])
      assert.deepInclude(yield* Inspect.overview({ directory }), { extendedQueues: 1, extendedQueueBytes: 3 * 324 })
      assert.deepStrictEqual(fs.readdirSync(join(directory, "consumequeue_ext/topic/0")).map(Number), [0, 324, 648])
      yield* withStore(directory, (store) => store.put({ topic: "topic", body: new Uint8Array(1) }), {
        enableConsumeQueueExt: true
      })
      assert.strictEqual(fs.statSync(unitFile).size, extended.mappedFileSizeConsumeQueueExt)
      const units = yield* Stream.runCollect(Inspect.dump(unitFile))
      assert.deepInclude(units[0], { kind: "file", is: "extended queue" })
      assert.deepInclude(units.at(-1), { kind: "end", position: 320, length: 4 })
      const entries = yield* Stream.runCollect(Inspect.dump(join(directory, "consumequeue/topic/0", NAME)))
      assert.deepInclude(entries[18], { kind: "entry", queueOffset: 17, unitPosition: 344 })
      const tagged = yield* Stream.runCollect(Inspect.exported({ directory }))
      const summary = tagged.at(-1)!
      assert.isTrue("summary" in summary && summary.summary.queues[0]!.entries.every(([, , code]) => code >= 0))
    })
  )

  it.effect("has the unit of another message found, and mended with the tags code in the entry", () =>
    Effect.gen(function* () {
      const { directory, unitFile } = yield* filled
      const bytes = fs.readFileSync(unitFile)
      bytes.copy(bytes, 60, 40, 60)
      fs.writeFileSync(unitFile, bytes)
      const { findings } = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(
        findings.map((finding) => [finding._tag, "queueOffset" in finding ? finding.queueOffset : -1]),
        [["QueueEntryWrong", 3]]
      )
      const { verified } = yield* Repair.apply({ directory, choice: "rebuild" })
      assert.deepStrictEqual(verified.findings, [])
      assert.deepStrictEqual(yield* withStore(directory, taggedOffsets, { enableConsumeQueueExt: true }), EXPECTED)
    })
  )

  it.effect("filters by the records where its extended queues are gone, and does not miss them", () =>
    Effect.gen(function* () {
      const { directory } = yield* filled
      fs.rmSync(join(directory, "consumequeue_ext"), { recursive: true })
      assert.deepStrictEqual((yield* Inspect.verify({ directory })).findings, [])
      for (const more of [{ readOnly: true }, {}, extended]) {
        assert.deepStrictEqual(yield* withStore(directory, taggedOffsets, more), EXPECTED)
      }
    })
  )
})
