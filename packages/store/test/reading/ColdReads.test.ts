import { clock } from "@millrace/core/AgentRunner"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import { StoreRuntime } from "../../src/internal/storeRuntime.ts"
import { FileFailure, type StoreFile } from "../../src/mapped/FileSystem.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const COUNT = 120
const LOG_LENGTH = 512 * 1024

const message = (id: number) => ({
  topic: "topic",
  queueId: 0,
  body: Buffer.from(`${id} `.padEnd(id % 10 === 0 ? 3800 : 300)),
  keys: `key${id}`
})

interface Touch {
  readonly kind: "prefetch" | "read"
  readonly path: string
  readonly from: number
  readonly to: number
}

/** A store that was closed and is opened again, with what is done to its files from then on. */
const reopened = Effect.gen(function* () {
  const sizes = { mappedFileSizeCommitLog: LOG_LENGTH, mappedFileSizeConsumeQueue: 20 * 1000 }
  const store = new SimulatedStore(1, { ...sizes, flushDiskType: "ASYNC_FLUSH" }).open()
  for (let id = 0; id < COUNT; id++) {
    store.put(message(id))
  }
  store.run(500)
  store.close()
  const disk = store.liveDisk()
  const touches: Array<Touch> = []
  /** Where the device begins to give nothing of the log. */
  const faulty = { from: Number.POSITIVE_INFINITY }
  const open = disk.open.bind(disk)
  disk.open = (path: string, length: number) => {
    const file: StoreFile = open(path, length)
    const read = file.read.bind(file)
    file.read = (offset, count) => {
      touches.push({ kind: "read", path, from: offset, to: offset + count })
      return read(offset, count)
    }
    file.prefetch = (offset, count, done) => {
      touches.push({ kind: "prefetch", path, from: offset, to: offset + count })
      const isFaulty = path.includes("/commitlog/") && offset + count > faulty.from
      setImmediate(() => done(isFaulty ? new FileFailure({ code: "EIO", operation: "read", path }) : undefined))
    }
    return file
  }
  const runtime = yield* Effect.acquireRelease(StoreRuntime.open(disk, store.options, clock, ""), (opened) =>
    opened.close()
  )
  touches.length = 0
  return { faulty, service: runtime.service, touches }
})

/** Every read of a record or an entry has had its bytes brought in before. */
const checkTouches = (touches: ReadonlyArray<Touch>) => {
  const warm: Array<Touch> = []
  for (const touch of touches) {
    if (touch.kind === "prefetch") {
      warm.push(touch)
    } else if (!touch.path.includes("/index/") && !touch.path.endsWith("checkpoint")) {
      const isWarm = warm.some(({ from, path, to }) => path === touch.path && from <= touch.from && touch.from < to)
      assert.isTrue(isWarm, JSON.stringify(touch))
    }
  }
  return warm
}

describe("a read of what was stored by an earlier process", () => {
  it.effect("touches no entry and no record that was not brought in before, in one go through a queue", () =>
    Effect.gen(function* () {
      const { service, touches } = yield* reopened
      let offset = 0
      while (offset < COUNT) {
        const { messages, nextOffset } = yield* service.get({ topic: "topic", queueId: 0, offset })
        messages.forEach(({ body }, index) =>
          assert.strictEqual(Number.parseInt(Buffer.from(body).toString(), 10), offset + index)
        )
        offset = nextOffset
      }
      const warm = checkTouches(touches)
      assert.isAtMost(warm.length, 4)
    })
  )

  it.effect("brings in the record of a position and those of a key", () =>
    Effect.gen(function* () {
      const { service, touches } = yield* reopened
      const [position] = yield* service.lookup({ topic: "topic", key: "key77" })
      const found = yield* service.byPosition(position!)
      assert.strictEqual(found!.keys, "key77")
      const [byKey] = yield* service.query({ topic: "topic", key: "key5" })
      assert.strictEqual(byKey!.keys, "key5")
      assert.isAtLeast(checkTouches(touches).length, 1)
    })
  )

  it.effect("brings in nothing that this process has put", () =>
    Effect.gen(function* () {
      const { service, touches } = yield* reopened
      const put = yield* service.put({ ...message(7), topic: "other" })
      yield* service.get({ topic: "other", queueId: 0, offset: 0 })
      yield* service.byPosition(put.position)
      assert.deepStrictEqual(
        touches.filter(({ kind }) => kind === "prefetch"),
        []
      )
    })
  )

  it.effect("fails where the device does not give it, and as soon as it does no more", () =>
    Effect.gen(function* () {
      const { faulty, service, touches } = yield* reopened
      const request = { topic: "topic", queueId: 0, offset: 0, maxCount: 4 }
      faulty.from = 0
      const { reason } = yield* Effect.flip(service.get(request))
      assert.strictEqual(reason._tag, "FileFailed")
      assert.isFalse(touches.some(({ kind, path }) => kind === "read" && path.includes("/commitlog/")))
      assert.strictEqual((yield* Effect.flip(service.byPosition(0))).reason._tag, "FileFailed")
      faulty.from = Number.POSITIVE_INFINITY
      assert.strictEqual((yield* service.get(request)).messages.length, 4)
    })
  )

  it.effect("is not kept from what stands before the place that the device does not give", () =>
    Effect.gen(function* () {
      const { faulty, service } = yield* reopened
      faulty.from = 12_000
      let offset = 0
      let failed: string | undefined = undefined
      while (failed === undefined) {
        const answer = yield* Effect.result(service.get({ topic: "topic", queueId: 0, offset, maxCount: 1 }))
        failed = answer._tag === "Failure" ? answer.failure.reason._tag : undefined
        offset = answer._tag === "Failure" ? offset : answer.success.nextOffset
      }
      assert.strictEqual(failed, "FileFailed")
      const { position } = (yield* service.get({ topic: "topic", queueId: 0, offset: offset - 1, maxCount: 1 }))
        .messages[0]!
      assert.isAbove(position, 12_000 - 2 * 4200)
    })
  )
})
