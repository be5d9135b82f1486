import { clock } from "@millrace/core/AgentRunner"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assert } from "vitest"
import { StoreRuntime } from "../../src/internal/storeRuntime.ts"
import { SimulatedDisk } from "../../src/mapped/SimulatedDisk.ts"
import { FileFailure } from "../../src/mapped/FileSystem.ts"
import { options, randomOf, SimulatedStore } from "../fixtures/SimulatedStore.ts"

const LOG = "/store/commitlog/00000000000000000000"
const MAGIC_BIT = 40

const message = { topic: "topic", queueId: 0, body: new Uint8Array(10) }

/** A service over a simulated disk, run by its real loop. */
const open = Effect.fnUntraced(function* (flushDiskType: "ASYNC_FLUSH" | "SYNC_FLUSH") {
  const later = (run: () => void) => void setImmediate(run)
  const disk = new SimulatedDisk({ random: randomOf(1), later, capacityBytes: 1 << 24 })
  const runtime = yield* Effect.acquireRelease(
    StoreRuntime.open(disk, { ...options, flushDiskType }, clock, ""),
    (opened) => opened.close()
  )
  return { disk, runtime, store: runtime.service }
})

const awaitFrom = ({ store }: { readonly store: StoreRuntime["service"] }, offset: number) =>
  store.awaitMessages("topic", new Map([[0, offset]])).pipe(
    Effect.flip,
    Effect.map(({ reason }) => reason._tag)
  )

describe("awaitMessages", () => {
  it.effect("fails for a message that never reached the device, whether it was asked before or after", () =>
    Effect.gen(function* () {
      const opened = yield* open("SYNC_FLUSH")
      const { disk, store } = opened
      yield* store.put(message)
      const before = yield* Effect.forkChild(awaitFrom(opened, 1))
      yield* Effect.yieldNow
      disk.fault = (operation, path) => (operation === "sync" && path === LOG ? "EIO" : undefined)
      const refused = yield* Effect.flip(store.put(message))
      assert.strictEqual(refused.reason._tag, "FlushFailed")
      assert.strictEqual(yield* Fiber.join(before), "FlushFailed")
      assert.strictEqual(yield* awaitFrom(opened, 1), "FlushFailed")
      const held = yield* Effect.flip(store.get({ topic: "topic", queueId: 0, offset: 1, waitMs: 1000 }))
      assert.strictEqual(held.reason._tag, "FlushFailed")
      yield* store.awaitMessages("topic", new Map([[0, 0]]))
    })
  )

  it.effect("fails for a message that cannot be read", () =>
    Effect.gen(function* () {
      const opened = yield* open("ASYNC_FLUSH")
      const before = yield* Effect.forkChild(awaitFrom(opened, 0))
      yield* Effect.yieldNow
      yield* opened.store.put(message)
      opened.disk.flipBit(LOG, MAGIC_BIT)
      assert.strictEqual(yield* Fiber.join(before), "NotWriteable")
      assert.strictEqual(yield* awaitFrom(opened, 0), "NotWriteable")
    })
  )

  it.effect("finds what was dispatched after the device had failed", () =>
    Effect.gen(function* () {
      const { disk, runtime, store } = yield* open("ASYNC_FLUSH")
      yield* store.put(message)
      disk.fault = (operation) => (operation === "sync" ? "EIO" : undefined)
      assert.strictEqual((yield* Effect.flip(store.flush)).reason._tag, "FlushFailed")
      assert.isDefined(runtime.engine.health.flushFailure)
      yield* store.awaitMessages("topic", new Map([[0, 0]]))
    })
  )
})

describe("get", () => {
  it.effect("fails in a reader whose files cannot be listed", () =>
    Effect.gen(function* () {
      const writer = new SimulatedStore(1).open()
      const { disk } = writer
      const perFile = writer.options.mappedFileSizeConsumeQueue / 20
      writer.put(...Array.from({ length: perFile }, () => message))
      writer.run(100)
      const runtime = yield* Effect.acquireRelease(
        StoreRuntime.open(disk, { ...writer.options, readOnly: true }, clock, ""),
        (opened) => opened.close()
      )
      // The disk of the writer does what takes time when the writer's time goes on.
      yield* Effect.acquireRelease(
        Effect.sync(() => setInterval(() => writer.run(0), 1)),
        (timer) => Effect.sync(() => clearInterval(timer))
      )
      disk.entries = (directory) => {
        throw new FileFailure({ code: "EIO", operation: "list", path: directory })
      }
      const error = yield* Effect.flip(runtime.service.get({ topic: "topic", queueId: 0, offset: 0 }))
      assert.strictEqual(error.reason._tag, "FileFailed")
    })
  )

  it.effect("finds nothing in a queue that is not there, however much was asked for", () =>
    Effect.gen(function* () {
      const { store } = yield* open("ASYNC_FLUSH")
      const limits = { maxCount: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER }
      const { status } = yield* store.get({ topic: "topic", queueId: 0, offset: 0, ...limits })
      assert.strictEqual(status, "NO_MESSAGE_IN_QUEUE")
    })
  )
})
