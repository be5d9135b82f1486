import { describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import * as MessageStore from "../src/MessageStore.ts"
import type { MessageStoreOptions } from "../src/MessageStoreConfig.ts"
import type { StoreErrorReason } from "../src/StoreError.ts"
import * as Child from "./fixtures/Child.ts"
import * as Temporary from "./fixtures/Temporary.ts"

const SMALL = { mappedFileSizeCommitLog: 64 * 1024, mappedFileSizeConsumeQueue: 20 * 100 }

const body = (text: string) => new TextEncoder().encode(text)

const within = <A, E>(options: MessageStoreOptions, run: Effect.Effect<A, E, MessageStore.MessageStore>) =>
  Effect.provide(run, MessageStore.layer({ ...SMALL, ...options }))

const put = (text: string) =>
  Effect.flatMap(MessageStore.MessageStore, (store) => store.put({ topic: "topic", queueId: 0, body: body(text) }))

/** The reason why opening fails. */
const refusal = (options: MessageStoreOptions): Effect.Effect<StoreErrorReason> =>
  within(options, Effect.void).pipe(
    Effect.flip,
    Effect.map((error) => error.reason),
    Effect.orDie
  )

const bodies = Effect.gen(function* () {
  const store = yield* MessageStore.MessageStore
  const { messages } = yield* store.get({ topic: "topic", queueId: 0, offset: 0, maxCount: 1000 })
  return messages.map((message) => new TextDecoder().decode(message.body))
})

/** Everything below a directory, with lengths and times of change. */
const snapshot = (directory: string) =>
  fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { mtimeMs, size } = fs.statSync(join(directory, name))
      return `${name} ${size} ${mtimeMs}`
    })

describe("MessageStore", () => {
  it.effect("makes a store in a directory that does not exist, and finds its messages again", () =>
    Effect.gen(function* () {
      const directory = join(yield* Temporary.directory, "a", "b")
      yield* within({ directory }, put("hello"))
      assert.isFalse(fs.existsSync(join(directory, "abort")))
      const again = yield* within(
        { directory },
        Effect.gen(function* () {
          assert.isTrue(fs.existsSync(join(directory, "abort")))
          const store = yield* MessageStore.MessageStore
          assert.strictEqual(store.recovery.exit, "clean")
          yield* put("world")
          return yield* bodies
        })
      )
      assert.deepStrictEqual(again, ["hello", "world"])
    })
  )

  it.effect("refuses a directory that holds something else, and leaves it as it is", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      fs.writeFileSync(join(directory, "letter.txt"), "dear all")
      const before = snapshot(directory)
      const reason = yield* refusal({ directory })
      assert.strictEqual(reason._tag, "NotAStore")
      assert.include(reason.message, "letter.txt")
      assert.deepStrictEqual(snapshot(directory), before)
    })
  )

  it.effect("refuses a log with a file of another name, and a path that is a file", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      fs.mkdirSync(join(directory, "commitlog"))
      fs.writeFileSync(join(directory, "commitlog", "notes"), "x")
      const reason = yield* refusal({ directory })
      assert.strictEqual(reason._tag, "NotAStore")
      assert.include(reason.message, "commitlog/notes")
      const file = join(directory, "commitlog", "notes")
      assert.strictEqual((yield* refusal({ directory: file }))._tag, "NotAStore")
      assert.strictEqual(fs.readFileSync(file, "utf8"), "x")
    })
  )

  it.effect("refuses a second opening in the same process, and names the process", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      yield* within(
        { directory },
        Effect.gen(function* () {
          const reason = yield* refusal({ directory })
          assert.strictEqual(reason._tag, "Locked")
          assert.include(reason.message, `process ${process.pid}`)
          yield* put("still works")
        })
      )
      assert.deepStrictEqual(yield* within({ directory }, bodies), ["still works"])
    })
  )

  it.effect("refuses a store that another process has open, and names that process", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      const child = yield* Child.start("writer.ts", [directory, "ASYNC_FLUSH"])
      yield* child.line((line) => line === "open")
      const reason = yield* refusal({ directory })
      assert.strictEqual(reason._tag, "Locked")
      assert.include(reason.message, `process ${child.process.pid}`)
    })
  )

  it.effect("refuses file lengths other than those the store was made with", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      yield* within({ directory }, put("hello"))
      const reason = yield* refusal({ directory, mappedFileSizeCommitLog: 128 * 1024 })
      assert.strictEqual(reason._tag, "ForeignFile")
      assert.include(reason.message, "65536")
    })
  )

  it.effect("takes the file lengths of a store that is there", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      yield* within({ directory }, put("hello"))
      const { fileLength } = yield* Effect.flatMap(MessageStore.MessageStore, (store) => store.status).pipe(
        Effect.provide(MessageStore.layer({ directory }))
      )
      assert.strictEqual(fileLength, SMALL.mappedFileSizeCommitLog)
    })
  )

  it.effect("refuses options that cannot be, with their limits", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      const reasons = yield* Effect.all([
        refusal({ directory, mappedFileSizeCommitLog: 10 }),
        refusal({ directory, maxMessageSize: 1.5 }),
        refusal({ directory, storeHost: "here" }),
        refusal({ directory: "" })
      ])
      for (const reason of reasons) {
        assert.strictEqual(reason._tag, "OptionIllegal")
      }
      assert.include(reasons[0].message, "from 256")
    })
  )

  it.effect("fails every operation with Closed after its scope has ended", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      const store = yield* within({ directory }, Effect.andThen(put("x"), MessageStore.MessageStore))
      const operations: ReadonlyArray<Effect.Effect<unknown, { readonly reason: StoreErrorReason }>> = [
        store.put({ topic: "topic", body: body("y") }),
        store.get({ topic: "topic", queueId: 0, offset: 0 }),
        store.awaitMessages("topic", new Map([[0, 5]])),
        store.byPosition(0),
        store.topics,
        store.flush,
        store.status
      ]
      for (const operation of operations) {
        const error = yield* Effect.flip(operation)
        assert.strictEqual(error.reason._tag, "Closed")
      }
    })
  )

  it.effect("leaves no mapping, descriptor or file made ahead behind when it closes", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      yield* within(
        { directory },
        Effect.gen(function* () {
          for (let index = 0; index < 300; index++) {
            yield* put("x".repeat(500))
          }
          const store = yield* MessageStore.MessageStore
          yield* store.flush
        })
      )
      assert.notInclude(fs.readFileSync("/proc/self/maps", "utf8"), directory)
      const descriptors = fs.readdirSync("/proc/self/fd").map((fd) => {
        try {
          return fs.readlinkSync(`/proc/self/fd/${fd}`)
        } catch {
          return ""
        }
      })
      assert.isFalse(descriptors.some((target) => target.startsWith(directory)))
      assert.lengthOf(fs.readdirSync(join(directory, "commitlog")), 3)
    })
  )

  it.effect("is one store when its layer is provided at two places", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      const store = MessageStore.layer({ directory, ...SMALL })
      const first = Layer.effectDiscard(put("first")).pipe(Layer.provide(store))
      const second = Layer.effectDiscard(put("second")).pipe(Layer.provide(store))
      yield* Effect.void.pipe(Effect.provide(Layer.mergeAll(first, second)))
      assert.lengthOf(yield* within({ directory }, bodies), 2)
    })
  )

  it.effect("says disk for what a synchronous flush has brought there, and memory for who does not wait", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      yield* within(
        { directory, flushDiskType: "SYNC_FLUSH" },
        Effect.gen(function* () {
          const store = yield* MessageStore.MessageStore
          const waited = yield* store.put({ topic: "topic", body: body("a") })
          assert.strictEqual(waited.durability, "disk")
          assert.isAtLeast((yield* store.status).flushedPosition, waited.position + waited.length)
          const unwaited = yield* store.put({ topic: "topic", body: body("b"), wait: false })
          assert.strictEqual(unwaited.durability, "memory")
        })
      )
      const { durability } = yield* within({ directory: join(directory, "config", "x") }, put("c"))
      assert.strictEqual(durability, "memory")
    })
  )

  it.effect("reads beside the process that writes, and changes nothing", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      const child = yield* Child.start("writer.ts", [directory, "ASYNC_FLUSH"])
      yield* child.line((line) => Number(line) >= 100)
      yield* within(
        { directory, readOnly: true },
        Effect.gen(function* () {
          const store = yield* MessageStore.MessageStore
          for (let queueId = 0; queueId < 3; queueId++) {
            yield* readNumbered(queueId, 600)
          }
          const [found] = yield* store.query({ topic: "crash", key: "k700" })
          assert.strictEqual(found!.keys, "k700")
          const refused = yield* Effect.flip(store.put({ topic: "crash", body: body("no") }))
          assert.strictEqual(refused.reason._tag, "NotWriteable")
        })
      )
      yield* child.kill("SIGKILL")
      const before = snapshot(directory)
      yield* within(
        { directory, readOnly: true },
        Effect.flatMap(MessageStore.MessageStore, (store) => store.topics)
      )
      assert.deepStrictEqual(snapshot(directory), before)
    })
  )

  it.effect("shows a reader at once what was put since it looked last, a new topic too", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      const writer = Context.get(yield* Layer.build(MessageStore.layer({ directory })), MessageStore.MessageStore)
      yield* writer.put({ topic: "old", body: body("0") })
      yield* writer.get({ topic: "old", queueId: 0, offset: 0 })
      const reading = yield* Layer.build(MessageStore.layer({ directory, readOnly: true }))
      const reader = Context.get(reading, MessageStore.MessageStore)
      for (let offset = 1; offset <= 20; offset++) {
        yield* writer.put({ topic: "old", body: body(String(offset)) })
        yield* writer.put({ topic: `new-${offset}`, body: body("0") })
        yield* writer.get({ topic: "old", queueId: 0, offset })
        const { maxPosition } = yield* writer.status
        assert.strictEqual((yield* reader.status).maxPosition, maxPosition)
        assert.deepStrictEqual(
          (yield* reader.topics).map(({ queues, topic }) => [topic, queues[0]!.maxOffset]),
          (yield* writer.topics).map(({ queues, topic }) => [topic, queues[0]!.maxOffset])
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("finds nothing to read in an empty directory, and makes nothing there", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      assert.strictEqual((yield* refusal({ directory, readOnly: true }))._tag, "NotAStore")
      assert.deepStrictEqual(fs.readdirSync(directory), [])
    })
  )

  for (const flushDiskType of ["ASYNC_FLUSH", "SYNC_FLUSH"] as const) {
    it.effect(`has every acknowledged message after its process was killed (${flushDiskType})`, () =>
      Effect.gen(function* () {
        const directory = yield* Temporary.directory
        for (let round = 0; round < 3; round++) {
          const child = yield* Child.start("writer.ts", [join(directory, String(round)), flushDiskType])
          yield* child.line((line) => Number(line) >= 300 + 170 * round)
          yield* child.kill("SIGKILL")
          const acknowledged = Number(child.lastLine())
          yield* within({ directory: join(directory, String(round)) }, checkNumbered(acknowledged))
        }
      })
    )
  }
})

describe("a store of another kind", () => {
  for (const [kind, flushDiskType, more] of [
    ["with files that are not mapped", "ASYNC_FLUSH", { writeWithoutMmap: true }],
    ["with a transient pool and synchronous flush", "SYNC_FLUSH", { transientStorePoolEnable: true }]
  ] as const) {
    it.effect(`has every acknowledged message after its process was killed (${kind})`, () =>
      Effect.gen(function* () {
        const directory = yield* Temporary.directory
        const child = yield* Child.start("writer.ts", [directory, flushDiskType, JSON.stringify(more)])
        yield* child.line((line) => Number(line) >= 700)
        yield* child.kill("SIGKILL")
        yield* within({ directory, ...more }, checkNumbered(Number(child.lastLine())))
      })
    )
  }
})

/** Reads messages of the writer's queue up to an offset, waiting for them, and sees that each is at its place. */
const readNumbered = Effect.fnUntraced(function* (queueId: number, end: number) {
  const store = yield* MessageStore.MessageStore
  for (let offset = 0; offset < end;) {
    // The test's clock stands still: only the arrival ends the wait.
    const result = yield* store.get({ topic: "crash", queueId, offset, waitMs: 1 })
    assert.strictEqual(result.status, "FOUND")
    for (const message of result.messages) {
      const number = message.queueOffset * 3 + queueId
      assert.strictEqual(new TextDecoder().decode(message.body).split(" ")[1], String(number))
    }
    offset = result.nextOffset
  }
})

/** Each of the first `count` messages of the writer is there once, at its place in its queue. */
const checkNumbered = Effect.fnUntraced(function* (count: number) {
  const store = yield* MessageStore.MessageStore
  assert.strictEqual(store.recovery.exit, "crash")
  for (let queueId = 0; queueId < 3; queueId++) {
    let offset = 0
    for (;;) {
      const { messages, nextOffset, status } = yield* store.get({ topic: "crash", queueId, offset })
      if (status !== "FOUND") {
        break
      }
      for (const message of messages) {
        const number = message.queueOffset * 3 + queueId
        assert.strictEqual(new TextDecoder().decode(message.body).split(" ")[1], String(number))
      }
      offset = nextOffset
    }
    assert.isAtLeast(offset * 3, count - 2)
  }
})
