import { clock } from "@millrace/core/AgentRunner"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { StoreRuntime } from "../../src/internal/storeRuntime.ts"
import { SimulatedDisk } from "../../src/mapped/SimulatedDisk.ts"
import { options, randomOf } from "../fixtures/SimulatedStore.ts"

const message = { topic: "topic", queueId: 0, body: new Uint8Array(10) }

/** A service over a disk whose slow operations end when they are let. */
const open = Effect.gen(function* () {
  const held: Array<() => void> = []
  let isHolding = false
  const later = (run: () => void) => void (isHolding ? held.push(run) : setImmediate(run))
  const disk = new SimulatedDisk({ random: randomOf(1), later, capacityBytes: 1 << 24 })
  const letGo = Effect.sync(() => {
    isHolding = false
    held.splice(0).forEach((run) => run())
  })
  const hold = Effect.sync(() => {
    isHolding = true
  })
  const runtime = yield* Effect.acquireRelease(
    StoreRuntime.open(disk, { ...options, flushDiskType: "SYNC_FLUSH", syncFlushTimeout: 500 }, clock, ""),
    (opened) => Effect.andThen(letGo, opened.close())
  )
  return { hold, letGo, store: runtime.service }
})

describe("a put that waits for the device", () => {
  it.effect("ends when its time is over with the message in memory, where it stays", () =>
    Effect.gen(function* () {
      const { hold, letGo, store } = yield* open
      yield* hold
      const waiting = yield* Effect.forkChild(store.put(message), { startImmediately: true })
      yield* TestClock.adjust("499 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const late = yield* Fiber.join(waiting)
      assert.deepInclude({ ...late }, { status: "FLUSH_DISK_TIMEOUT", durability: "memory", queueOffset: 0 })
      yield* letGo
      yield* store.flush
      assert.deepInclude({ ...(yield* store.put(message)) }, { status: "PUT_OK", durability: "disk", queueOffset: 1 })
      yield* store.awaitMessages("topic", new Map([[0, 1]]))
      assert.strictEqual((yield* store.get({ topic: "topic", queueId: 0, offset: 0 })).messages.length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves its message in the store when it is interrupted", () =>
    Effect.gen(function* () {
      const { hold, letGo, store } = yield* open
      yield* hold
      const waiting = yield* Effect.forkChild(store.put(message), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* letGo
      yield* store.flush
      yield* store.awaitMessages("topic", new Map([[0, 0]]))
      const { messages } = yield* store.get({ topic: "topic", queueId: 0, offset: 0 })
      assert.deepStrictEqual(
        messages.map(({ queueOffset }) => queueOffset),
        [0]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("does not keep one that need not wait, and counts neither as refused", () =>
    Effect.gen(function* () {
      const { hold, letGo, store } = yield* open
      yield* hold
      const result = yield* store.put({ ...message, wait: false })
      assert.deepInclude({ ...result }, { status: "PUT_OK", durability: "memory" })
      assert.strictEqual(store.figuresUnsafe().refusalCounts.size, 0)
      yield* letGo
    }).pipe(Effect.scoped)
  )
})

/** Opens a store on a disk that notes which syncs were called and which were left to the thread pool. */
const closed = (fails?: (path: string) => boolean) =>
  Effect.gen(function* () {
    const syncs: Array<string> = []
    let isPool = false
    const later = (run: () => void) =>
      void setImmediate(() => {
        isPool = true
        run()
      })
    const disk = new SimulatedDisk({ random: randomOf(1), later, capacityBytes: 1 << 26 })
    const quiet = { flushIntervalCommitLog: 1e6, flushIntervalConsumeQueue: 1e6 }
    const runtime = yield* StoreRuntime.open(disk, { ...options, flushDiskType: "ASYNC_FLUSH", ...quiet }, clock, "")
    yield* runtime.service.putMany(Array.from({ length: 300 }, (_, queueId) => ({ ...message, queueId, keys: "key" })))
    disk.fault = (operation, path) => {
      if (operation === "sync") {
        syncs.push(`${isPool ? "pool" : "loop"} ${path.split("/")[2]}`)
        // Whoever waits for it goes on before the pool's turn is over.
        isPool = false
      }
      return operation === "sync" && fails?.(path) === true ? "EIO" : undefined
    }
    const syncDirectory = (directory: string, done: () => void) =>
      void setImmediate(() => {
        disk.syncDirectory(directory)
        done()
      })
    Object.assign(disk, { syncDirectoryAsync: syncDirectory })
    yield* runtime.close()
    disk.fault = () => undefined
    return { disk, syncs }
  })

describe("closing a store", () => {
  it.effect("brings the log, its queues and its index to the device in the thread pool, one by one", () =>
    Effect.gen(function* () {
      const { disk, syncs } = yield* closed()
      assert.deepStrictEqual(
        syncs.filter((sync) => sync.startsWith("loop")),
        ["loop checkpoint"]
      )
      assert.strictEqual(syncs.filter((sync) => sync === "pool consumequeue").length, 300)
      assert.include(syncs, "pool commitlog")
      assert.include(syncs, "pool index")
      disk.crash()
      const again = yield* StoreRuntime.open(disk, options, clock, "another")
      assert.deepInclude(
        { ...again.service.recovery },
        { exit: "clean", queueEntriesRebuilt: 0, indexEntriesRebuilt: 0 }
      )
      yield* again.close()
    })
  )

  it.effect("leaves the next opening to read the log when one of these syncs fails", () =>
    Effect.gen(function* () {
      const { disk, syncs } = yield* closed((path) => path.includes("/topic/7/"))
      assert.isBelow(syncs.filter((sync) => sync.endsWith("consumequeue")).length, 300)
      const again = yield* StoreRuntime.open(disk, options, clock, "")
      assert.strictEqual(again.service.recovery.exit, "crash")
      assert.lengthOf((yield* again.service.topic("topic"))!.queues, 300)
      yield* again.close()
    })
  )
})
