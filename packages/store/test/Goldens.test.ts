import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { assert } from "vitest"
import { createHash } from "node:crypto"
import { join } from "node:path"
import * as Inspect from "../src/Inspect.ts"
import * as MessageStore from "../src/MessageStore.ts"
import type { StoredMessage } from "../src/Message.ts"
import * as Golden from "./fixtures/Golden.ts"
import * as Temporary from "./fixtures/Temporary.ts"

const open = <A, E>(
  directory: string,
  { reopened: { config } }: Golden.Golden,
  body: Effect.Effect<A, E, MessageStore.MessageStore>
) =>
  Effect.provide(
    body,
    MessageStore.layer({
      directory,
      maxHashSlotNum: Number(config["maxHashSlotNum"]),
      maxIndexNum: Number(config["maxIndexNum"])
    })
  )

/** Every record in physical order, by position. */
const allMessages = Effect.fnUntraced(function* (view: Golden.GoldenView) {
  const store = yield* MessageStore.MessageStore
  const messages: Array<StoredMessage> = []
  for (const { physicalOffset } of view.messages) {
    const message = yield* store.byPosition(physicalOffset)
    assert.isDefined(message, `a record at ${physicalOffset}`)
    messages.push(message)
  }
  return messages
})

const fieldsOf = (message: StoredMessage, golden: Golden.GoldenMessage) => ({
  physicalOffset: message.position,
  storeSize: message.storeSize,
  version: message.version,
  topic: message.topic,
  queueId: message.queueId,
  queueOffset: message.queueOffset,
  recordPhysicalOffset: message.position,
  flag: message.flag,
  sysFlag: message.sysFlag,
  bornTimestamp: message.bornTimestamp,
  bornHost: message.bornHost,
  storeTimestamp: message.storeTimestamp,
  storeHost: message.storeHost,
  bodyCRC: message.bodyCrc,
  reconsumeTimes: message.reconsumeTimes,
  preparedTransactionOffset: message.preparedTransactionOffset,
  propertiesRaw: message.propertiesText,
  properties: { ...message.properties },
  offsetMsgId: message.offsetMsgId,
  bodyLength: message.body.length,
  ...(golden.body === undefined ? {} : { body: Buffer.from(message.body).toString("base64") }),
  ...(golden.bodySha256 === undefined ? {} : { bodySha256: createHash("sha256").update(message.body).digest("hex") })
})

const expectedFields = (golden: Golden.GoldenMessage) => {
  const {
    inConsumeQueue: _inQueue,
    tagsCode: _tagsCode,
    ...rest
  } = golden as Golden.GoldenMessage & Record<string, unknown>
  delete (rest as Record<string, unknown>)["tags"]
  delete (rest as Record<string, unknown>)["keys"]
  delete (rest as Record<string, unknown>)["uniqKey"]
  return rest
}

describe.each(Golden.names)("golden store %s", (name) => {
  const golden = Golden.expected(name)
  const view = golden.reopened

  it.effect("opens to the records, queues, reads and times that the real store lists", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      Golden.unpack(name, directory)
      yield* open(
        directory,
        golden,
        Effect.gen(function* () {
          const store = yield* MessageStore.MessageStore
          const status = yield* store.status
          assert.strictEqual(store.recovery.exit, golden.end === "clean" ? "clean" : "crash")
          assert.strictEqual(status.minPosition, view.summary.minPhyOffset)
          assert.strictEqual(status.maxPosition, view.summary.maxPhyOffset)
          const messages = yield* allMessages(view)
          messages.forEach((message, index) => {
            assert.deepStrictEqual(fieldsOf(message, view.messages[index]!), expectedFields(view.messages[index]!))
          })
          yield* checkQueues(view)
          yield* checkGets(view)
          yield* checkTimes(view)
          yield* checkQueries(golden)
        })
      )
    })
  )

  it.effect("has the blanks, the checkpoint and the file lengths that its writer left", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      Golden.unpack(name, directory)
      const { blanks, checkpointFile, config, files } = golden.written
      const found: Array<unknown> = []
      for (const file of Object.keys(files).filter((path) => path.startsWith("commitlog/"))) {
        for (const line of yield* Stream.runCollect(Inspect.dump(join(directory, file)))) {
          if (line.kind === "blank") {
            const { length, position } = line
            found.push({ physicalOffset: position, length })
          }
        }
      }
      assert.deepStrictEqual(found, [...blanks])
      const overview = yield* Inspect.overview({ directory })
      assert.deepInclude(overview, {
        logFlushedTimestamp: checkpointFile.physicMsgTimestamp,
        queuesFlushedTimestamp: checkpointFile.logicsMsgTimestamp,
        indexFlushedTimestamp: checkpointFile.indexMsgTimestamp,
        logFileLength: files["commitlog/00000000000000000000"]!,
        queueFileLength: Number(config["mappedFileSizeConsumeQueue"]),
        indexSlots: Number(config["maxHashSlotNum"])
      })
    })
  )

  it.effect("takes more messages, and still has the old ones when it is opened again", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      Golden.unpack(name, directory)
      const put = Effect.flatMap(MessageStore.MessageStore, (store) =>
        store.put({ topic: "TopicA", queueId: 0, body: Buffer.from("one more"), tags: "TagA" })
      )
      const { position, queueOffset } = yield* open(directory, golden, put)
      assert.isAtLeast(position, view.summary.maxPhyOffset)
      assert.strictEqual(
        queueOffset,
        view.queues.find((queue) => queue.topic === "TopicA" && queue.queueId === 0)!.maxOffset
      )
      yield* open(
        directory,
        golden,
        Effect.gen(function* () {
          const store = yield* MessageStore.MessageStore
          assert.strictEqual(store.recovery.exit, "clean")
          yield* allMessages(view)
          const added = yield* store.byPosition(position)
          assert.strictEqual(Buffer.from(added!.body).toString(), "one more")
        })
      )
    })
  )
})

const checkQueues = Effect.fnUntraced(function* (view: Golden.GoldenView) {
  const store = yield* MessageStore.MessageStore
  const topics = yield* store.topics
  const queues = topics.flatMap(({ queues, topic }) =>
    queues.map(({ maxOffset, minOffset, queueId }) => ({ topic, queueId, minOffset, maxOffset }))
  )
  const byName = (a: { topic: string; queueId: number }, b: { topic: string; queueId: number }) =>
    a.topic === b.topic ? a.queueId - b.queueId : a.topic < b.topic ? -1 : 1
  const expected = view.queues.map(({ maxOffset, minOffset, queueId, topic }) => ({
    topic,
    queueId,
    minOffset,
    maxOffset
  }))
  // 5.5.1 lists a queue that was only asked for; one without a message has no file.
  const hasMessages = (queue: { maxOffset: number }) => queue.maxOffset > 0
  assert.deepStrictEqual(queues.filter(hasMessages).toSorted(byName), expected.filter(hasMessages).toSorted(byName))
  for (const { entries, queueId, topic } of view.queues) {
    const found: Array<readonly [number, number]> = []
    for (let offset = 0; offset < entries.length;) {
      const result = yield* store.get({ topic, queueId, offset, maxCount: 1000, maxBytes: 1e9 })
      assert.strictEqual(result.status, "FOUND")
      offset = result.nextOffset
      found.push(...result.messages.map((message) => [message.position, message.storeSize] as const))
    }
    assert.deepStrictEqual(
      found,
      entries.map(([position, size]) => [position, size] as const)
    )
  }
})

const checkGets = Effect.fnUntraced(function* (view: Golden.GoldenView) {
  const store = yield* MessageStore.MessageStore
  for (const golden of view.gets) {
    const { maxNum, offset, queueId, tags, topic } = golden
    const result = yield* store.get({
      topic,
      queueId,
      offset,
      maxCount: maxNum,
      tags: tags ?? undefined,
      matchTagText: false
    })
    assert.deepStrictEqual(
      {
        status: result.status,
        nextBeginOffset: result.nextOffset,
        minOffset: result.minOffset,
        maxOffset: result.maxOffset,
        queueOffsets: result.messages.map((message) => message.queueOffset)
      },
      {
        status: golden.status,
        nextBeginOffset: golden.nextBeginOffset,
        minOffset: golden.minOffset,
        maxOffset: golden.maxOffset,
        queueOffsets: [...golden.queueOffsets]
      },
      `${topic}/${queueId} at ${offset}, tags ${tags}`
    )
  }
})

const checkTimes = Effect.fnUntraced(function* (view: Golden.GoldenView) {
  const store = yield* MessageStore.MessageStore
  for (const { lower, queueId, time, topic, upper } of view.offsetsByTime) {
    if (lower !== null && upper !== null) {
      const at = `${topic}/${queueId} at ${time}`
      assert.strictEqual(yield* store.offsetByTime({ topic, queueId, timeMs: time, boundary: "lower" }), lower, at)
      assert.strictEqual(yield* store.offsetByTime({ topic, queueId, timeMs: time, boundary: "upper" }), upper, at)
    }
  }
})

/** Repeated positions come from the real store's own recovery, which indexes the record at its end twice. */
const distinct = (positions: ReadonlyArray<number>) => [...new Set(positions)]

/** 5.5.1 forgets its index in a crash: there the answers from before the crash count, without what was torn. */
const queriesOf = ({ name, reopened, written }: Golden.Golden): ReadonlyArray<Golden.GoldenQuery> =>
  name.startsWith("5.5.1") && !name.endsWith("clean")
    ? written.queries.map((query) => ({
        ...query,
        physicalOffsets: query.physicalOffsets.filter((position) => position < reopened.summary.maxPhyOffset)
      }))
    : reopened.queries

const checkQueries = Effect.fnUntraced(function* (golden: Golden.Golden) {
  const store = yield* MessageStore.MessageStore
  for (const { begin, end, key, maxNum, physicalOffsets, topic } of queriesOf(golden)) {
    const request = { topic, key, maxCount: maxNum, begin, end: end === "max" ? undefined : end }
    const at = `${topic}#${key}, ${maxNum} from ${begin} to ${end}`
    assert.deepStrictEqual(distinct(yield* store.lookup(request)), distinct(physicalOffsets), at)
    for (const message of yield* store.query(request)) {
      assert.include(`${message.keys} ${message.uniqueKey}`.split(" "), key)
    }
  }
})
