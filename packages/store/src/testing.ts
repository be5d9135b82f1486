/**
 * What any backend of `MessageStore` must do, as cases that a test runner of your choice runs.
 *
 * **Example** (Running the cases with vitest)
 *
 * ```ts
 * import { describe, it } from "@effect/vitest"
 * import { MessageStore } from "@millrace/store"
 * import * as testing from "@millrace/store/testing"
 * import { Effect } from "effect"
 *
 * describe("layerMemory", () => {
 *   for (const { run, title } of testing.cases) {
 *     it.effect(title, () => Effect.provide(run, MessageStore.layerMemory()))
 *   }
 * })
 * ```
 *
 * @since 0.1.0
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Message } from "./Message.ts"
import { MessageStore } from "./MessageStore.ts"
import type { StoreError } from "./StoreError.ts"
import * as Topic from "./Topic.ts"

/**
 * A fact about a store that is empty when the case begins.
 *
 * @category models
 * @since 0.1.0
 */
export interface Case {
  readonly title: string
  /** Fails or dies where the fact does not hold. */
  readonly run: Effect.Effect<void, StoreError, MessageStore>
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const message = (body: string, more?: Partial<Message>): Message => ({
  topic: "topic",
  queueId: 0,
  body: text(body),
  ...more
})

/** The reason why an effect fails; "none" where it does not. */
const reasonOf = <A>(effect: Effect.Effect<A, StoreError, MessageStore>): Effect.Effect<string, never, MessageStore> =>
  Effect.match(effect, { onFailure: (error) => error.reason._tag, onSuccess: () => "none" })

const Item = Schema.Struct({ id: Schema.Int, group: Schema.String })
const items = (count: number) => Array.from({ length: count }, (_, id) => ({ id, group: `g${id % 7}` }))
const itemTopic = Topic.make("items", {
  schema: Item,
  key: (item) => item.group,
  tag: (item) => `t${item.id % 3}`,
  queues: 3
})

const putting: ReadonlyArray<Case> = [
  {
    title: "gives back a message as it was put, with all its fields",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      const put = yield* store.put(
        message("hello", {
          queueId: 3,
          keys: ["a", "b"],
          tags: "TagA",
          properties: { color: "blau", ключ: "значение 😀" },
          flag: -5,
          bornTimestamp: 1_700_000_000_123,
          bornHost: "[2001:db8::17]:40123",
          reconsumeTimes: 2,
          preparedTransactionOffset: 77
        })
      )
      const { messages, status } = yield* store.get({ topic: "topic", queueId: 3, offset: 0 })
      assert.equal(status, "FOUND")
      const found = messages[0]!
      assert.equal(textOf(found.body), "hello")
      assert.equal(found.keys, "a b")
      assert.equal(found.tags, "TagA")
      assert.equal(found.properties["ключ"], "значение 😀")
      assert.equal(found.flag, -5)
      assert.equal(found.bornTimestamp, 1_700_000_000_123)
      assert.equal(found.bornHost, "[2001:db8:0:0:0:0:0:17]:40123")
      assert.equal(found.reconsumeTimes, 2)
      assert.equal(found.preparedTransactionOffset, 77)
      assert.equal(found.position, put.position)
      assert.equal(found.storeTimestamp, put.storeTimestamp)
    })
  },
  {
    title: "numbers the messages of each queue from 0",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      const results = yield* store.putMany([
        message("a"),
        message("b", { queueId: 1 }),
        message("c"),
        message("d", { topic: "other" })
      ])
      assert.deepEqual(
        results.map((result) => result.queueOffset),
        [0, 0, 1, 0]
      )
      assert.deepEqual(
        results.map((result) => result.status),
        ["PUT_OK", "PUT_OK", "PUT_OK", "PUT_OK"]
      )
    })
  },
  {
    title: "takes an empty body and any bytes",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
      yield* store.putMany([message(""), { topic: "topic", queueId: 0, body: bytes }])
      const { messages } = yield* store.get({ topic: "topic", queueId: 0, offset: 0 })
      assert.equal(messages[0]!.body.length, 0)
      assert.deepEqual([...messages[1]!.body], [...bytes])
    })
  },
  {
    title: "refuses an array with an illegal message and stores none of it",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      const refuse = (illegal: Message) => reasonOf(store.putMany([message("good"), illegal]))
      assert.equal(yield* refuse(message("", { topic: "a/b" })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { topic: "" })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { topic: ".." })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { queueId: -1 })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { tags: "a\u0002b" })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { bornHost: "nowhere" })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { flag: 2 ** 40 })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { properties: { long: "x".repeat(33_000) } })), "PropertiesTooLong")
      assert.equal(yield* refuse({ topic: "topic", body: new Uint8Array(4 * 1024 * 1024 + 1) }), "MessageIllegal")
      assert.equal((yield* store.status).maxPosition, 0)
      assert.deepEqual(yield* store.topics, [])
    })
  },
  {
    title: "refuses a batch of several topics or queues, of a transaction or with a delay, and stores none of it",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      const refuse = (illegal: Message) => reasonOf(store.putBatch([message("good"), illegal]))
      assert.equal(yield* refuse(message("", { topic: "other" })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { queueId: 1 })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { sysFlag: 4 })), "MessageIllegal")
      assert.equal(yield* refuse(message("", { properties: { DELAY: "1" } })), "MessageIllegal")
      assert.equal((yield* store.status).maxPosition, 0)
      assert.deepEqual(yield* store.topics, [])
    })
  },
  {
    title: "keeps a batch of one queue together with offsets in a row",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      yield* store.put(message("before"))
      const results = yield* store.putBatch([message("one"), message("two"), message("three")])
      assert.deepEqual(
        results.map((result) => result.queueOffset),
        [1, 2, 3]
      )
      assert.equal(results[1]!.position, results[0]!.position + results[0]!.length)
    })
  }
]

const reading: ReadonlyArray<Case> = [
  {
    title: "answers a read outside a queue with where the queue begins and ends",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      const at = (offset: number, topic = "topic") => store.get({ topic, queueId: 0, offset })
      assert.equal((yield* at(0, "unknown")).status, "NO_MESSAGE_IN_QUEUE")
      yield* store.putMany([message("a"), message("b")])
      assert.equal((yield* at(2)).status, "OFFSET_OVERFLOW_ONE")
      const beyond = yield* at(9)
      assert.equal(beyond.status, "OFFSET_OVERFLOW_BADLY")
      assert.equal(beyond.nextOffset, 2)
      const before = yield* at(-1)
      assert.equal(before.status, "OFFSET_TOO_SMALL")
      assert.equal(before.nextOffset, 0)
    })
  },
  {
    title: "gives no more than was asked for, and says where to go on",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      yield* store.putMany(Array.from({ length: 10 }, (_, index) => message(`m${index}`)))
      const two = yield* store.get({ topic: "topic", queueId: 0, offset: 3, maxCount: 2 })
      assert.deepEqual(
        two.messages.map(({ body }) => textOf(body)),
        ["m3", "m4"]
      )
      assert.equal(two.nextOffset, 5)
      const bytes = yield* store.get({ topic: "topic", queueId: 0, offset: 0, maxBytes: 1 })
      assert.equal(bytes.messages.length, 1)
    })
  },
  {
    title: "filters by tags, by their text where hashes collide",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      yield* store.putMany([
        message("a", { tags: "Aa" }),
        message("b", { tags: "BB" }),
        message("c"),
        message("d", { tags: "Other" })
      ])
      const bodies = (tags: string, matchTagText?: boolean) =>
        Effect.map(store.get({ topic: "topic", queueId: 0, offset: 0, tags, matchTagText }), ({ messages }) =>
          messages.map(({ body }) => textOf(body))
        )
      assert.deepEqual(yield* bodies("Aa"), ["a"])
      assert.deepEqual(yield* bodies("Aa", false), ["a", "b"])
      assert.deepEqual(yield* bodies("Other || BB"), ["b", "d"])
      assert.deepEqual(yield* bodies("*"), ["a", "b", "c", "d"])
      assert.deepEqual(yield* bodies("Nothing"), [])
    })
  },
  {
    title: "finds a message by its position and by its offsetMsgId",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      yield* store.put(message("first"))
      const put = yield* store.put(message("second"))
      const byPosition = yield* store.byPosition(put.position)
      assert.equal(textOf(byPosition!.body), "second")
      const byId = yield* store.byOffsetId(byPosition!.offsetMsgId)
      assert.equal(textOf(byId!.body), "second")
      assert.equal(yield* store.byPosition(put.position + 1), undefined)
      assert.equal(yield* store.byPosition(-1), undefined)
      assert.equal(yield* store.byOffsetId("nothing"), undefined)
    })
  },
  {
    title: "holds a read until the message comes, and not longer than its time",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      const held = yield* Effect.forkChild(store.get({ topic: "topic", queueId: 0, offset: 0, waitMs: 600_000 }), {
        startImmediately: true
      })
      yield* store.put(message("other queue", { queueId: 1 }))
      yield* store.put(message("come"))
      const { messages, status } = yield* Fiber.join(held)
      assert.equal(status, "FOUND")
      assert.equal(textOf(messages[0]!.body), "come")
    })
  },
  {
    title: "keeps messages of an answer valid while more is put",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      yield* store.put(message("kept"))
      const { messages } = yield* store.get({ topic: "topic", queueId: 0, offset: 0 })
      yield* store.putMany(Array.from({ length: 2000 }, (_, index) => message(`more ${index}`)))
      assert.equal(textOf(messages[0]!.body), "kept")
    })
  }
]

const streaming: ReadonlyArray<Case> = [
  {
    title: "streams what a sink stored, in order within each queue",
    run: Effect.gen(function* () {
      const topic = yield* itemTopic
      yield* Stream.fromIterable(items(5000)).pipe(Stream.rechunk(500), Stream.run(topic.sink))
      const read = yield* Stream.runCollect(topic.stream({ from: "earliest", live: false }))
      assert.equal(read.length, 5000)
      const last = new Map<number, number>()
      for (const { key, queueId, queueOffset, tag, value } of read) {
        assert.equal(queueOffset, (last.get(queueId) ?? -1) + 1)
        last.set(queueId, queueOffset)
        assert.equal(key, value.group)
        assert.equal(tag, `t${value.id % 3}`)
      }
      assert.deepEqual(
        read.map(({ value }) => value.id).toSorted((a, b) => a - b),
        items(5000).map(({ id }) => id)
      )
    })
  },
  {
    title: "goes from history to live messages without a gap and without a duplicate",
    run: Effect.gen(function* () {
      const topic = yield* itemTopic
      const all = items(3000)
      yield* topic.appendMany(all.slice(0, 1000))
      const reader = yield* topic
        .stream({ from: "earliest", batchSize: 64 })
        .pipe(Stream.take(3000), Stream.runCollect, Effect.forkChild({ startImmediately: true }))
      for (let index = 1000; index < 3000; index += 50) {
        yield* topic.appendMany(all.slice(index, index + 50))
        yield* Effect.yieldNow
      }
      const read = yield* Fiber.join(reader)
      assert.deepEqual(
        read.map(({ value }) => value.id).toSorted((a, b) => a - b),
        all.map(({ id }) => id)
      )
    })
  },
  {
    title: "streams only later messages from the latest position, and resumes from kept positions",
    run: Effect.gen(function* () {
      const topic = yield* itemTopic
      yield* topic.appendMany(items(100))
      const reader = yield* topic
        .stream({ from: "latest" })
        .pipe(Stream.take(1), Stream.runCollect, Effect.forkChild({ startImmediately: true }))
      yield* topic.append({ id: 4711, group: "g0" })
      const [live] = yield* Fiber.join(reader)
      assert.equal(live!.value.id, 4711)
      const positions = new Map([[live!.queueId, live!.queueOffset]])
      const resumed = yield* Stream.runCollect(topic.stream({ from: positions, live: false, queues: [live!.queueId] }))
      assert.deepEqual(
        resumed.map(({ value }) => value.id),
        [4711]
      )
    })
  },
  {
    title: "streams one tag only",
    run: Effect.gen(function* () {
      const topic = yield* itemTopic
      yield* topic.appendMany(items(999))
      const read = yield* Stream.runCollect(topic.stream({ from: "earliest", tags: "t2", live: false }))
      assert.equal(read.length, 333)
      assert.ok(read.every(({ tag }) => tag === "t2"))
    })
  },
  {
    title: "keeps the number of queues of a topic",
    run: Effect.gen(function* () {
      yield* itemTopic
      const again = yield* Topic.make("items", { schema: Item })
      assert.equal(again.queueCount, 3)
    })
  },
  {
    title: "says which message does not fit the schema, or leaves it out",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      const topic = yield* Topic.make("items", { schema: Item, queues: 1 })
      yield* topic.append({ id: 1, group: "a" })
      yield* store.put({ topic: "items", queueId: 0, body: text("no json") })
      yield* topic.append({ id: 2, group: "a" })
      assert.equal(yield* reasonOf(Stream.runDrain(topic.stream({ from: "earliest", live: false }))), "DecodeFailed")
      const read = yield* Stream.runCollect(topic.stream({ from: "earliest", live: false, onDecodeFailure: "skip" }))
      assert.deepEqual(
        read.map(({ value }) => value.id),
        [1, 2]
      )
    })
  },
  {
    title: "gives what does not fit as an element, or puts it into a dead-letter topic",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      const topic = yield* Topic.make("items", { schema: Item, queues: 1 })
      yield* store.put({ topic: "items", queueId: 0, body: text("no json") })
      yield* topic.append({ id: 1, group: "a" })
      const read = <D extends Topic.OnDecodeFailure>(onDecodeFailure: D) =>
        Stream.runCollect(topic.stream({ from: "earliest", live: false, onDecodeFailure }))
      assert.deepEqual(
        (yield* read("element")).map(({ _tag, queueOffset }) => [_tag, queueOffset]),
        [
          ["Undecoded", 0],
          ["Message", 1]
        ]
      )
      assert.equal((yield* read({ deadLetterTopic: "dead" })).length, 1)
      const { messages } = yield* store.get({ topic: "dead", queueId: 0, offset: 0 })
      assert.equal(textOf(messages[0]!.body), "no json")
      assert.equal(messages[0]!.properties["DLQ_ORIGIN_TOPIC"], "items")
    })
  },
  {
    title: "counts what it has taken and given, and reports itself healthy",
    run: Effect.gen(function* () {
      const store = yield* MessageStore
      yield* store.putMany([message("a"), message("b")])
      yield* store.get({ topic: "topic", queueId: 0, offset: 0 })
      yield* store.flush
      const { dirtyBytes, getMessageCount, isWriteable, putBytes, putMessageCount } = store.figuresUnsafe()
      const { maxPosition } = yield* store.status
      assert.deepEqual(
        { dirtyBytes, isWriteable, putBytes },
        { dirtyBytes: 0, isWriteable: true, putBytes: maxPosition }
      )
      assert.deepEqual({ getMessageCount, putMessageCount }, { getMessageCount: 2, putMessageCount: 2 })
      const { refusal, store: its } = yield* store.health
      assert.equal(refusal, undefined)
      assert.equal(its.directory, store.directory)
    })
  },
  {
    title: "refuses a position that the store does not have",
    run: Effect.gen(function* () {
      const topic = yield* itemTopic
      yield* topic.append({ id: 1, group: "a" })
      const { queueId } = (yield* Stream.runCollect(topic.stream({ from: "earliest", live: false })))[0]!
      assert.equal(
        yield* reasonOf(Stream.runDrain(topic.stream({ from: new Map([[queueId, 5]]), live: true }))),
        "OffsetTooLarge"
      )
    })
  }
]

/**
 * All cases.
 *
 * @category cases
 * @since 0.1.0
 */
export const cases: ReadonlyArray<Case> = [...putting, ...reading, ...streaming]
