import { clock } from "@millrace/core/AgentRunner"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { hashCode } from "../src/commitlog/JavaString.ts"
import * as Inspect from "../src/Inspect.ts"
import type { StoredMessage } from "../src/Message.ts"
import * as MessageStore from "../src/MessageStore.ts"
import type { MessageStoreOptions } from "../src/MessageStoreConfig.ts"
import { Hooks, type ReplicationStatus, type StoreHooks } from "../src/StoreHooks.ts"
import { StoreRuntime } from "../src/internal/storeRuntime.ts"
import { SimulatedDisk } from "../src/mapped/SimulatedDisk.ts"
import { options, randomOf } from "./fixtures/SimulatedStore.ts"
import * as Temporary from "./fixtures/Temporary.ts"

type Store = MessageStore.MessageStore["Service"]

const SMALL = {
  mappedFileSizeCommitLog: 8192,
  mappedFileSizeConsumeQueueExt: 1024,
  maxHashSlotNum: 16,
  maxIndexNum: 40
}

const withHooks = <A, E>(
  hooks: StoreHooks,
  body: (store: Store) => Effect.Effect<A, E>,
  options: MessageStoreOptions
) =>
  Effect.provide(
    Effect.flatMap(MessageStore.MessageStore, body),
    MessageStore.layer({ ...SMALL, ...options }).pipe(Layer.provide(Layer.succeed(Hooks, hooks)))
  )

const inMemory = <A, E>(
  hooks: StoreHooks,
  body: (store: Store) => Effect.Effect<A, E>,
  options?: Omit<MessageStoreOptions, "directory">
) =>
  Effect.provide(
    Effect.flatMap(MessageStore.MessageStore, body),
    MessageStore.layerMemory(options).pipe(Layer.provide(Layer.succeed(Hooks, hooks)))
  )

const message = (id: number, topic = "topic") => ({ topic, body: Buffer.from(String(id)), tags: `Tag${id % 2}` })

describe("a hook before puts", () => {
  it.effect("changes messages, one after the other, before their limits are checked", () =>
    inMemory(
      {
        put: [
          { name: "rename", beforePut: (put) => ({ ...put, topic: `${put.topic}-a` }) },
          { name: "again", beforePut: (put) => ({ ...put, topic: `${put.topic}-b` }) }
        ]
      },
      Effect.fnUntraced(function* (store) {
        yield* store.putBatch([message(1), message(2)])
        yield* store.put(message(3))
        assert.deepStrictEqual(
          (yield* store.topics).map(({ queues, topic }) => [topic, queues[0]!.maxOffset]),
          [["topic-a-b", 3]]
        )
        const illegal = yield* Effect.flip(store.put(message(1, "a/b")))
        assert.strictEqual(illegal.reason._tag, "MessageIllegal")
      })
    )
  )

  it.effect("refuses with a status of its own, and nothing of the call is stored", () =>
    inMemory(
      {
        put: [
          {
            name: "timer",
            beforePut: (put) =>
              put.topic === "far" ? { status: "WHEEL_TIMER_MSG_ILLEGAL", detail: "it is too far off" } : put
          }
        ]
      },
      Effect.fnUntraced(function* (store) {
        const { reason } = yield* Effect.flip(store.putMany([message(1), message(2, "far")]))
        assert.strictEqual(reason._tag, "PutRefused")
        assert.include(
          reason.message,
          "message 1 for topic far was refused by hook timer with WHEEL_TIMER_MSG_ILLEGAL: it is too far off"
        )
        assert.deepStrictEqual(yield* store.topics, [])
      })
    )
  )
})

describe("a hook of the dispatch chain", () => {
  it.effect("gets every record in order, when it can be read, and may keep it", () =>
    Effect.gen(function* () {
      const seen: Array<StoredMessage> = []
      yield* inMemory(
        { dispatch: [{ name: "seen", dispatch: (record) => void seen.push(record) }] },
        Effect.fnUntraced(function* (store) {
          yield* store.putMany([message(1), message(2, "other"), { ...message(3), sysFlag: 3 << 2 }])
          yield* store.put(message(4))
          yield* store.flush
          yield* store.get({ topic: "topic", queueId: 0, offset: 0 })
        }),
        { flushDiskType: "SYNC_FLUSH" }
      )
      assert.deepStrictEqual(
        seen.map(({ body, topic }) => `${topic} ${Buffer.from(body).toString()}`),
        ["topic 1", "other 2", "topic 3", "topic 4"]
      )
    })
  )

  it.effect("gets again after a crash what may not have been on the device, and nothing twice after a clean end", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ random: randomOf(1), later: setImmediate, capacityBytes: 1 << 24 })
      const open = StoreRuntime.open(disk, options, clock, "").pipe(
        Effect.provideService(Hooks, {
          dispatch: [{ name: "seen", dispatch: ({ position }) => void seen.push(position) }]
        })
      )
      const seen: Array<number> = []
      const positionsOf = (results: ReadonlyArray<MessageStore.PutResult>) => results.map(({ position }) => position)
      const first = yield* open
      const before = positionsOf(yield* first.service.putMany([message(1), message(2)]))
      yield* first.close()
      const second = yield* open
      const after = positionsOf([yield* second.service.put(message(3))])
      second.engine.catchUp()
      assert.deepStrictEqual(seen.splice(0), [...before, ...after])
      second.engine.closeFiles()
      yield* second.close()
      const third = yield* open
      assert.deepStrictEqual(seen, [...before, ...after])
      yield* third.close()
    })
  )
})

describe("a hook that computes filter bits", () => {
  it.effect("has them kept in the units of the extended queue", () =>
    Effect.gen(function* () {
      const directory = join(yield* Temporary.directory, "store")
      const filterBits = ({ body }: StoredMessage, bits: Uint8Array): boolean => {
        bits[0] = Number(Buffer.from(body).toString())
        bits[bits.length - 1] = 0xff
        return bits[0] !== 2
      }
      const options = { directory, enableConsumeQueueExt: true, bitMapLengthConsumeQueueExt: 28 }
      yield* withHooks({ filterBits }, (store) => store.putMany([message(1), message(2), message(3)]), options)
      const file = join(directory, "consumequeue_ext/topic/0/00000000000000000000")
      const units = (yield* Stream.runCollect(Inspect.dump(file))).filter(({ kind }) => kind === "unit")
      assert.deepStrictEqual(
        units.map(({ bits, position, size }) => [position, size, bits]),
        [
          [0, 23, "0100ff"],
          [23, 20, ""],
          [43, 23, "0300ff"]
        ]
      )
      assert.deepStrictEqual((yield* Inspect.verify({ directory })).findings, [])
      const entries: Array<ReadonlyArray<unknown>> = []
      const filter = {
        matchesEntry: (code: number | undefined, bits: Uint8Array) => {
          entries.push([code, bits.length])
          return bits.length === 0 || bits[0]! > 1
        },
        matches: (found: StoredMessage) => found.tags === "Tag1"
      }
      const filtered = yield* withHooks(
        {},
        (store) => store.get({ topic: "topic", queueId: 0, offset: 0, filter }),
        options
      )
      assert.deepStrictEqual([filtered.messages.map(({ queueOffset }) => queueOffset), filtered.nextOffset], [[2], 3])
      assert.deepStrictEqual(entries, [
        [hashCode("Tag1"), 3],
        [hashCode("Tag0"), 0],
        [hashCode("Tag1"), 3]
      ])
      const tags = { topic: "topic", queueId: 0, offset: 0, tags: "Tag1" }
      const { messages } = yield* withHooks({}, (store) => store.get(tags), options)
      assert.lengthOf(messages, 2)
    }).pipe(Effect.scoped)
  )
})

describe("a hook that waits for replicas", () => {
  it.effect("is waited for beside the flush, and its answer goes before that of the flush", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const answer = Deferred.makeUnsafe<ReplicationStatus>()
      const replicate = (position: number) => {
        asked.push(position)
        return Deferred.await(answer)
      }
      yield* inMemory(
        { replicate },
        Effect.fnUntraced(function* (store) {
          const alone = yield* store.put({ ...message(1), wait: false })
          assert.deepInclude({ ...alone }, { status: "PUT_OK", durability: "memory" })
          const fiber = yield* Effect.forkChild(store.putMany([message(2), { ...message(3), wait: false }]), {
            startImmediately: true
          })
          yield* store.flush
          assert.isUndefined(fiber.pollUnsafe())
          yield* Deferred.succeed(answer, "SLAVE_NOT_AVAILABLE")
          const [waited, other] = yield* Fiber.join(fiber)
          assert.deepInclude({ ...waited }, { status: "SLAVE_NOT_AVAILABLE", durability: "disk", queueOffset: 1 })
          assert.deepInclude({ ...other }, { status: "PUT_OK", durability: "memory" })
          assert.deepStrictEqual(asked, [waited!.position + waited!.length])
        }),
        { flushDiskType: "SYNC_FLUSH" }
      )
    })
  )

  it.effect("leaves an asynchronous put in memory", () =>
    inMemory({ replicate: () => Effect.succeed("FLUSH_SLAVE_TIMEOUT") }, (store) =>
      Effect.map(store.put(message(1)), (result) =>
        assert.deepInclude({ ...result }, { status: "FLUSH_SLAVE_TIMEOUT", durability: "memory" })
      )
    )
  )
})
