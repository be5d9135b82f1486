import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import * as Inspect from "../src/Inspect.ts"
import * as MessageStore from "../src/MessageStore.ts"
import * as Repair from "../src/Repair.ts"
import * as Topic from "../src/Topic.ts"
import * as Temporary from "./fixtures/Temporary.ts"
import * as WithStore from "./fixtures/WithStore.ts"

const INNER_BATCH = 128
const options = { mappedFileSizeCommitLog: 8192, maxHashSlotNum: 16, maxIndexNum: 40 }
const ENTRY = 46

const batch = (count: number) => ({
  topic: "batches",
  body: Buffer.alloc(100, count),
  sysFlag: INNER_BATCH,
  keys: `key${count}`,
  properties: { INNER_NUM: String(count) }
})

const withStore = WithStore.withStore(options)

const reasonOf = <A, E extends { readonly reason: { readonly _tag: string } }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ reason }) => reason._tag, onSuccess: () => "none" })

const COUNT = 30
const TOTAL = (COUNT * (COUNT + 1)) / 2

/** A closed store with batches of one to thirty messages, in files of eight entries. */
const filled = Effect.gen(function* () {
  const directory = join(yield* Temporary.directory, "store")
  const body = Effect.fnUntraced(function* (store: MessageStore.MessageStore["Service"]) {
    yield* store.setQueueType("batches", "BatchCQ")
    yield* store.putMany(Array.from({ length: COUNT }, (_, index) => batch(index + 1)))
  })
  yield* withStore(directory, body, { mapperFileSizeBatchConsumeQueue: 8 * ENTRY - 1 })
  return directory
})

/** First offsets of all batches, and the end of the queue. */
const contentOf = Effect.fnUntraced(function* (store: MessageStore.MessageStore["Service"]) {
  const bases: Array<number> = []
  let offset = 0
  for (;;) {
    const { maxOffset, messages, nextOffset, status } = yield* store.get({ topic: "batches", queueId: 0, offset })
    bases.push(...messages.map(({ queueOffset }) => queueOffset))
    if (status !== "FOUND") {
      return { bases, maxOffset }
    }
    offset = nextOffset
  }
})

const expected = {
  bases: Array.from({ length: COUNT }, (_, index) => (index * (index + 1)) / 2),
  maxOffset: TOTAL
}

describe("a topic of the queue type BatchCQ", () => {
  it.effect("stays one, is found by offset, key and time, and its files keep their length", () =>
    Effect.gen(function* () {
      const directory = yield* filled
      const config = JSON.parse(fs.readFileSync(join(directory, "config/topics.json"), "utf8"))
      assert.deepStrictEqual(config.topicConfigTable.batches.attributes, { "queue.type": "BatchCQ" })
      const names = fs.readdirSync(join(directory, "batchconsumequeue/batches/0"))
      assert.lengthOf(names, 4)
      assert.isFalse(fs.existsSync(join(directory, "consumequeue/batches")))
      yield* withStore(
        directory,
        Effect.fnUntraced(function* (store) {
          assert.deepStrictEqual(yield* contentOf(store), expected)
          const [found] = yield* store.query({ topic: "batches", key: "key7" })
          assert.strictEqual(found!.queueOffset, 21)
          const time = { topic: "batches", queueId: 0, timeMs: found!.storeTimestamp }
          assert.isAtMost((yield* store.offsetByTime(time))!, 21)
          const { queueOffset } = yield* store.put(batch(2))
          assert.strictEqual(queueOffset, TOTAL)
          const held = yield* store.get({ topic: "batches", queueId: 0, offset: TOTAL + 1 })
          assert.deepStrictEqual([held.messages[0]!.queueOffset, held.nextOffset], [TOTAL, TOTAL + 2])
        })
      )
      assert.lengthOf(fs.readdirSync(join(directory, "batchconsumequeue/batches/0")), 4)
    })
  )

  it.effect("is told from its attributes as RocketMQ and its tools write them", () =>
    Effect.gen(function* () {
      for (const name of ["queue.type", "+queue.type"]) {
        const directory = yield* Temporary.directory
        fs.mkdirSync(join(directory, "store/config"), { recursive: true })
        fs.mkdirSync(join(directory, "store/commitlog"))
        const topics = { topicConfigTable: { batches: { attributes: { [name]: "BatchCQ" }, topicName: "batches" } } }
        fs.writeFileSync(join(directory, "store/config/topics.json"), JSON.stringify(topics))
        const { queueOffset } = yield* withStore(join(directory, "store"), (store) =>
          Effect.andThen(store.put(batch(3)), store.put(batch(2)))
        )
        assert.strictEqual(queueOffset, 3)
      }
    })
  )

  it.effect("cannot become one, or another, when it has queues, nor in a store that is only read", () =>
    Effect.gen(function* () {
      const directory = yield* filled
      yield* withStore(
        directory,
        Effect.fnUntraced(function* (store) {
          yield* store.put({ topic: "plain", body: new Uint8Array(1) })
          assert.strictEqual(yield* reasonOf(store.setQueueType("plain", "BatchCQ")), "OptionIllegal")
          assert.strictEqual(yield* reasonOf(store.setQueueType("batches", "SimpleCQ")), "OptionIllegal")
          assert.strictEqual(yield* reasonOf(store.setQueueType("%LMQ%a", "BatchCQ")), "OptionIllegal")
          assert.strictEqual(yield* reasonOf(store.setQueueType("a/b", "BatchCQ")), "OptionIllegal")
          yield* store.setQueueType("batches", "BatchCQ")
          assert.strictEqual(yield* reasonOf(store.put({ ...batch(1), topic: "plain" })), "MessageIllegal")
        })
      )
      const type = (store: MessageStore.MessageStore["Service"]) => reasonOf(store.setQueueType("new", "BatchCQ"))
      assert.strictEqual(yield* withStore(directory, type, { readOnly: true }), "NotWriteable")
    })
  )

  it.effect("is verified, and a queue with a wrong entry is made anew by a repair", () =>
    Effect.gen(function* () {
      const directory = yield* filled
      const report = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(report.findings, [])
      assert.strictEqual(report.queueEntries, COUNT)
      const path = join(directory, "batchconsumequeue/batches/0/00000000000000000000")
      const bytes = fs.readFileSync(path)
      // The number of messages of the fourth batch.
      bytes[3 * ENTRY + 37] = 3
      fs.writeFileSync(path, bytes)
      const { findings } = yield* Inspect.verify({ directory })
      assert.deepStrictEqual(
        findings.map((finding) => [finding._tag, "queueOffset" in finding ? finding.queueOffset : -1]),
        [["QueueEntryWrong", 6]]
      )
      const { verified } = yield* Repair.apply({ directory, choice: "rebuild" })
      assert.deepStrictEqual(verified.findings, [])
      assert.deepStrictEqual(yield* withStore(directory, contentOf), expected)
    })
  )

  it.effect("keeps all of its entries when it is opened after a kill", () =>
    Effect.gen(function* () {
      const directory = join(yield* Temporary.directory, "store")
      // The last one lies in its file where an entry of a plain queue, by its number, would reach beyond a file.
      const count = 19
      yield* withStore(
        directory,
        Effect.fnUntraced(function* (store) {
          yield* store.setQueueType("batches", "BatchCQ")
          yield* store.putMany(Array.from({ length: count }, () => batch(1)))
        }),
        { mapperFileSizeBatchConsumeQueue: 8 * ENTRY }
      )
      fs.writeFileSync(join(directory, "abort"), "")
      const { bases, recovery } = yield* withStore(directory, (store) =>
        Effect.map(contentOf(store), (content) => ({ ...content, recovery: store.recovery }))
      )
      assert.strictEqual(recovery.queueEntriesCut, 0)
      assert.lengthOf(bases, count)
    })
  )

  it.effect("is made by a topic, which says so from then on", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      yield* Topic.make("batches", { schema: Schema.String, queueType: "BatchCQ" })
      yield* store.put(batch(3))
      yield* Topic.make("plain", { schema: Schema.String })
      assert.deepStrictEqual(
        (yield* store.topics).map(({ queueType, topic }) => [topic, queueType]),
        [
          ["batches", "BatchCQ"],
          ["plain", "SimpleCQ"]
        ]
      )
      const other = Topic.make("batches", { schema: Schema.String, queueType: "SimpleCQ" })
      assert.strictEqual(yield* reasonOf(other), "OptionIllegal")
    }).pipe(Effect.provide(MessageStore.layerMemory()))
  )

  it.effect("is kept in memory as well", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      yield* store.setQueueType("batches", "BatchCQ")
      yield* store.putMany(Array.from({ length: COUNT }, (_, index) => batch(index + 1)))
      assert.deepStrictEqual(yield* contentOf(store), expected)
    }).pipe(Effect.provide(MessageStore.layerMemory()))
  )
})
