import { clock } from "@millrace/core/AgentRunner"
import { assert, describe, it } from "@effect/vitest"
import * as zlib from "node:zlib"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Codec from "../src/Codec.ts"
import * as JavaString from "../src/commitlog/JavaString.ts"
import { StoreRuntime } from "../src/internal/storeRuntime.ts"
import { MemoryFileSystem } from "../src/mapped/MemoryFileSystem.ts"
import * as MessageStore from "../src/MessageStore.ts"
import { correctMinOffset } from "../src/recovery/Recovery.ts"
import * as Topic from "../src/Topic.ts"
import { options } from "./fixtures/SimulatedStore.ts"

const Item = Schema.Struct({ id: Schema.Int, at: Schema.Date })
const item = (id: number) => ({ id, at: new Date(id) })

const utf8 = (text: string) => new TextEncoder().encode(text)
const memory = MessageStore.layerMemory()

const idsOf = (elements: ReadonlyArray<Topic.Element<typeof Item.Type>>) =>
  elements.map((element) => (element._tag === "Message" ? element.value.id : element._tag))

/** The body of the first message of a topic. */
const firstBody = Effect.fnUntraced(function* (topic: string) {
  const store = yield* MessageStore.MessageStore
  const { messages } = yield* store.get({ topic, queueId: 0, offset: 0 })
  return messages[0]!.body
})

const failure = <A, E, R>(stream: Stream.Stream<A, E, R>) => Effect.flip(Stream.runDrain(stream))

/** A store whose log has files of eight kibibytes, and a way to clean away the first one. */
const withSmallFiles = Effect.gen(function* () {
  const fileSystem = new MemoryFileSystem((run) => void setImmediate(run))
  const runtime = yield* Effect.acquireRelease(
    StoreRuntime.open(fileSystem, { ...options, flushDiskType: "ASYNC_FLUSH" }, clock, ""),
    (opened) => opened.close()
  )
  const clean = Effect.sync(() => {
    const { commitLog, queues } = runtime.engine
    runtime.engine.catchUp()
    commitLog.files.removeFirst()
    for (const state of queues.all()) {
      correctMinOffset(state, commitLog.minOffset)
    }
  })
  return { clean, store: runtime.service }
})

describe("a codec of a topic", () => {
  it.effect("is JSON as UTF-8 by default, the schema's binary form or bytes as they are by choice", () =>
    Effect.gen(function* () {
      const json = yield* Topic.make("json", { schema: Item, queues: 1 })
      yield* json.append(item(7))
      assert.strictEqual(new TextDecoder().decode(yield* firstBody("json")), '{"id":7,"at":"1970-01-01T00:00:00.007Z"}')
      const binary = yield* Topic.make("binary", { schema: Item, queues: 1, codec: Codec.binary })
      yield* binary.append(item(7))
      assert.isBelow((yield* firstBody("binary")).length, 30)
      const [read] = yield* Stream.runCollect(binary.stream({ from: "earliest", live: false }))
      assert.deepStrictEqual(read!.value, item(7))
      const bytes = yield* Topic.make("bytes", { schema: Schema.Uint8Array, queues: 1, codec: Codec.bytes })
      yield* bytes.append(new Uint8Array([0, 255]))
      assert.deepStrictEqual([...(yield* firstBody("bytes"))], [0, 255])
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses a value that does not fit, before it is stored", () =>
    Effect.gen(function* () {
      const topic = yield* Topic.make("json", { schema: Item, queues: 1 })
      const refused = yield* Effect.flip(topic.append({ id: 0.5, at: new Date(0) }))
      assert.strictEqual(refused.reason._tag, "EncodeFailed")
      assert.strictEqual((yield* topic.seek("latest")).get(0) ?? 0, 0)
    }).pipe(Effect.provide(memory))
  )
})

describe("a topic", () => {
  it.effect("has a key's values in the queue that RocketMQ chooses, and begins at any place that seek finds", () =>
    Effect.gen(function* () {
      const topic = yield* Topic.make("topic", { schema: Item, key: ({ id }) => `key ${id % 5}`, queues: 3 })
      const begin = yield* Clock.currentTimeMillis
      yield* topic.appendMany([1, 2, 3, 4].map(item))
      yield* TestClock.adjust("1 second")
      yield* topic.appendMany([5, 6, 7, 8].map(item))
      const read = (from: Topic.From) => Stream.runCollect(topic.stream({ from, live: false }))
      for (const { key, queueId } of yield* read("earliest")) {
        assert.strictEqual(queueId, Math.abs(JavaString.hashCode(key!) % 3))
      }
      const sorted = (elements: ReadonlyArray<Topic.TopicMessage<typeof Item.Type>>) =>
        elements.map(({ value }) => value.id).toSorted((a, b) => a - b)
      const later = begin + 1
      assert.deepStrictEqual(sorted(yield* read(later)), [5, 6, 7, 8])
      assert.deepStrictEqual(sorted(yield* read(new Date(later))), [5, 6, 7, 8])
      assert.deepStrictEqual(sorted(yield* read(yield* topic.seek(later))), [5, 6, 7, 8])
      assert.deepStrictEqual(sorted(yield* read("latest")), [])
      const end = yield* topic.seek("latest")
      yield* topic.append(item(9))
      assert.deepStrictEqual(sorted(yield* read(end)), [9])
      const all = yield* topic.seek("earliest")
      assert.deepStrictEqual(sorted(yield* read(all)), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }).pipe(Effect.provide(memory))
  )

  it.effect("has elements that stay as they are when their store has ended", () =>
    Effect.gen(function* () {
      const kept = yield* Effect.gen(function* () {
        const topic = yield* Topic.make("bytes", { schema: Schema.Uint8Array, queues: 1, codec: Codec.bytes })
        yield* topic.append(new Uint8Array(100).fill(7))
        return yield* Stream.runCollect(topic.stream({ from: "earliest", live: false }))
      }).pipe(Effect.provide(memory))
      assert.deepStrictEqual(
        [...kept[0]!.value],
        Array.from({ length: 100 }, () => 7)
      )
    })
  )
})

describe("a reader that cleaning has passed", () => {
  it.effect("fails with the offset where the queue begins now", () =>
    Effect.gen(function* () {
      const { clean, store } = yield* withSmallFiles
      const topic = yield* Topic.make("topic", { schema: Item, queues: 1 }).pipe(
        Effect.provideService(MessageStore.MessageStore, store)
      )
      yield* topic.appendMany(Array.from({ length: 200 }, (_, id) => item(id)))
      yield* clean
      const { reason } = yield* failure(topic.stream({ from: new Map([[0, 3]]) }))
      assert.strictEqual(reason._tag, "OffsetTooSmall")
      const min = (yield* topic.seek("earliest")).get(0)!
      assert.isAbove(min, 3)
      assert.deepInclude(reason, { topic: "topic", queueId: 0, offset: 3, min })
    }).pipe(Effect.scoped)
  )

  it.effect("goes on with one element for what is missing, however much was cleaned while it read", () =>
    Effect.gen(function* () {
      const { clean, store } = yield* withSmallFiles
      const topic = yield* Topic.make("topic", { schema: Item, queues: 1 }).pipe(
        Effect.provideService(MessageStore.MessageStore, store)
      )
      yield* topic.appendMany(Array.from({ length: 300 }, (_, id) => item(id)))
      let isCleaned = false
      const elements = yield* topic.stream({ from: "earliest", onTruncated: "skip", batchSize: 2, live: false }).pipe(
        Stream.tap(() => {
          const isFirst = !isCleaned
          isCleaned = true
          return isFirst ? Effect.andThen(clean, clean) : Effect.void
        }),
        Stream.runCollect
      )
      const min = (yield* topic.seek("earliest")).get(0)!
      assert.isAbove(min, 2)
      const expected = [0, 1, "Gap", ...Array.from({ length: 300 - min }, (_, index) => min + index)]
      assert.deepStrictEqual(idsOf(elements), expected)
      assert.deepStrictEqual(elements[2], { _tag: "Gap", queueId: 0, fromOffset: 2, toOffset: min })
    }).pipe(Effect.scoped)
  )
})

describe("a message that does not fit", () => {
  const stored = Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    const topic = yield* Topic.make("topic", { schema: Item, queues: 1 })
    yield* topic.append(item(1))
    const body = zlib.deflateSync(utf8("no json"))
    yield* store.put({ topic: "topic", queueId: 0, body, sysFlag: 1, keys: "k", tags: "t", properties: { a: "b" } })
    yield* topic.append(item(2))
    return { body, store, topic }
  })

  it.effect("fails the stream behind those before it, or is left out, or is an element", () =>
    Effect.gen(function* () {
      const { body, topic } = yield* stored
      const seen: Array<number> = []
      const failing = topic
        .stream({ from: "earliest" })
        .pipe(Stream.tap(({ value }) => Effect.sync(() => seen.push(value.id))))
      const { reason } = yield* failure(failing)
      assert.deepInclude(reason, { _tag: "DecodeFailed", topic: "topic", queueId: 0, queueOffset: 1 })
      assert.deepStrictEqual(seen, [1])
      const from = "earliest"
      const live = false
      assert.deepStrictEqual(
        idsOf(yield* Stream.runCollect(topic.stream({ from, live, onDecodeFailure: "skip" }))),
        [1, 2]
      )
      const elements = yield* Stream.runCollect(topic.stream({ from, live, onDecodeFailure: "element" }))
      assert.deepStrictEqual(idsOf(elements), [1, "Undecoded", 2])
      const bad = elements[1]!
      assert.ok(bad._tag === "Undecoded")
      assert.deepInclude(bad, { queueId: 0, queueOffset: 1, key: "k", tag: "t" })
      assert.deepStrictEqual([...bad.body], [...body])
      assert.strictEqual(bad.error.reason._tag, "DecodeFailed")
    }).pipe(Effect.provide(memory))
  )

  it.effect("goes to the dead-letter topic as it is, with where it came from, and the stream goes on", () =>
    Effect.gen(function* () {
      const { body, store, topic } = yield* stored
      const onDecodeFailure = { deadLetterTopic: "dead" }
      const read = yield* Stream.runCollect(topic.stream({ from: "earliest", live: false, onDecodeFailure }))
      assert.deepStrictEqual(idsOf(read), [1, 2])
      const bad = (yield* store.get({ topic: "topic", queueId: 0, offset: 1 })).messages[0]!
      const { messages } = yield* store.get({ topic: "dead", queueId: 0, offset: 0 })
      assert.strictEqual(messages.length, 1)
      const dead = messages[0]!
      assert.deepStrictEqual([...dead.body], [...body])
      assert.deepInclude(dead.properties, {
        KEYS: "k",
        TAGS: "t",
        a: "b",
        DLQ_ORIGIN_TOPIC: "topic",
        DLQ_ORIGIN_MESSAGE_ID: bad.offsetMsgId
      })
      assert.strictEqual(dead.sysFlag, bad.sysFlag)
      assert.strictEqual(dead.bornTimestamp, bad.bornTimestamp)
    }).pipe(Effect.provide(memory))
  )

  it.effect("fails the stream when it cannot be put into the dead-letter topic", () =>
    Effect.gen(function* () {
      const { topic } = yield* stored
      const { reason } = yield* failure(
        topic.stream({ from: "earliest", onDecodeFailure: { deadLetterTopic: "no/topic" } })
      )
      assert.strictEqual(reason._tag, "MessageIllegal")
    }).pipe(Effect.provide(memory))
  )
})

describe("what a topic holds in memory", () => {
  const MEBIBYTE = 1024 * 1024

  it.effect("is a mebibyte of records, or four of unpacked bodies and one more, when it reads", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      const topic = yield* Topic.make("bytes", { schema: Schema.Uint8Array, queues: 1, codec: Codec.bytes })
      yield* topic.appendMany(Array.from({ length: 12 }, () => new Uint8Array(MEBIBYTE / 4)))
      const body = zlib.deflateSync(new Uint8Array(MEBIBYTE))
      yield* store.putMany(Array.from({ length: 12 }, () => ({ topic: "bytes", queueId: 0, body, sysFlag: 1 })))
      const arrays = yield* topic.stream({ from: "earliest", live: false }).pipe(Stream.chunks, Stream.runCollect)
      const lengths = arrays.map((elements) => elements.reduce((sum, { value }) => sum + value.length, 0))
      assert.strictEqual(
        lengths.reduce((a, b) => a + b),
        15 * MEBIBYTE
      )
      assert.isBelow(Math.max(...lengths), 5 * MEBIBYTE)
      assert.isAtMost(lengths[0]!, MEBIBYTE)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is a mebibyte of bodies and one more when it writes, and the sink waits for the store", () =>
    Effect.gen(function* () {
      const real = yield* MessageStore.MessageStore
      const passes: Array<number> = []
      const counting: MessageStore.MessageStore["Service"] = {
        ...real,
        putMany: (messages) => {
          passes.push(messages.reduce((sum, { body }) => sum + body.length, 0))
          return real.putMany(messages)
        }
      }
      const topic = yield* Topic.make("bytes", { schema: Schema.Uint8Array, queues: 1, codec: Codec.bytes }).pipe(
        Effect.provideService(MessageStore.MessageStore, counting)
      )
      const values = Array.from({ length: 10 }, () => new Uint8Array(MEBIBYTE / 3))
      const results = yield* topic.appendMany(values)
      assert.strictEqual(results.length, 10)
      assert.isAtMost(Math.max(...passes), MEBIBYTE + values[0]!.length)
      assert.isAbove(passes.length, 1)
      yield* Stream.fromIterable(values).pipe(Stream.run(topic.sink))
      assert.strictEqual((yield* topic.seek("latest")).get(0), 20)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is read no further than its consumer asks", () =>
    Effect.gen(function* () {
      const real = yield* MessageStore.MessageStore
      let gets = 0
      const counting: MessageStore.MessageStore["Service"] = {
        ...real,
        get: (request) => {
          gets++
          return real.get(request)
        }
      }
      const topic = yield* Topic.make("topic", { schema: Item, queues: 1 }).pipe(
        Effect.provideService(MessageStore.MessageStore, counting)
      )
      yield* topic.appendMany(Array.from({ length: 100 }, (_, id) => item(id)))
      const slow = yield* topic.stream({ from: "earliest", batchSize: 10 }).pipe(
        Stream.mapEffect(() => Effect.never),
        Stream.runDrain,
        Effect.forkChild({ startImmediately: true })
      )
      yield* Effect.yieldNow
      assert.strictEqual(gets, 1)
      yield* Fiber.interrupt(slow)
    }).pipe(Effect.provide(memory))
  )
})
