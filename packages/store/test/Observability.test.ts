import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { clock } from "@millrace/core/AgentRunner"
import { StoreRuntime } from "../src/internal/storeRuntime.ts"
import { FileFailure } from "../src/mapped/FileSystem.ts"
import { SimulatedDisk } from "../src/mapped/SimulatedDisk.ts"
import * as MessageStore from "../src/MessageStore.ts"
import { options, randomOf } from "./fixtures/SimulatedStore.ts"

const body = new Uint8Array(100)

const recorded = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (made) => {
      const span = new Tracer.NativeSpan(made)
      spans.push(span)
      return span
    }
  })
  const logs: Array<{ readonly message: string; readonly annotations: Readonly<Record<string, unknown>> }> = []
  const logger = Logger.make(({ fiber, message }) => {
    logs.push({ message: String(message), annotations: fiber.getRef(References.CurrentLogAnnotations) })
  })
  const layer = Layer.mergeAll(
    Layer.succeed(Tracer.Tracer, tracer),
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, "Trace")
  )
  return { layer, logs, spans }
}

describe("a store that is watched", () => {
  it.effect("has spans for its opening and its end, and for each new file of its log", () => {
    const { layer, logs, spans } = recorded()
    return Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const store = yield* MessageStore.MessageStore
        yield* store.putMany([{ topic: "topic", body }])
        yield* store.putMany(Array.from({ length: 4 }, () => ({ topic: "topic", body })))
      }).pipe(
        Effect.provide(MessageStore.layerMemory({ mappedFileSizeCommitLog: 1024, mappedFileSizeConsumeQueue: 200 }))
      )
      assert.deepStrictEqual(
        spans.map(({ name }) => name).filter((name) => name.startsWith("millrace.store")),
        ["millrace.store.open", "millrace.store.roll", "millrace.store.close"]
      )
      const roll = spans.find(({ name }) => name === "millrace.store.roll")!
      assert.deepStrictEqual(
        [...roll.attributes],
        [
          ["directory", "memory"],
          ["fromOffset", 1024]
        ]
      )
      assert.strictEqual(roll.status._tag, "Ended")
      assert.isTrue(
        logs.some(
          ({ annotations, message }) => message.includes("opened a store") && annotations["directory"] === "memory"
        )
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("says at its opening that its queues know of more messages than its log has", () => {
    const { layer, logs } = recorded()
    return Effect.gen(function* () {
      const later = (run: () => void) => void setImmediate(run)
      const disk = new SimulatedDisk({ random: randomOf(1), later, capacityBytes: 1 << 20 })
      const opened = Effect.acquireRelease(StoreRuntime.open(disk, options, clock, ""), (runtime) => runtime.close())
      yield* Effect.scoped(
        Effect.flatMap(opened, ({ service }) =>
          service.putMany(Array.from({ length: 60 }, () => ({ topic: "topic", body })))
        )
      )
      const logFiles = disk.paths.filter((path) => path.includes("/commitlog/")).toSorted()
      assert.isAbove(logFiles.length, 1)
      disk.remove(logFiles.at(-1)!)
      yield* Effect.scoped(opened)
      const warnings = logs.filter(({ message }) => message.includes("queues led beyond the end of its log"))
      assert.lengthOf(warnings, 1)
      assert.isAbove(Number(warnings[0]!.annotations["queueEntriesCut"]), 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("has a span for each file that cleaning removes, or cannot remove", () => {
    const { layer, logs, spans } = recorded()
    return Effect.gen(function* () {
      const later = (run: () => void) => void setImmediate(run)
      const disk = new SimulatedDisk({ random: randomOf(1), later, capacityBytes: 1 << 20 })
      const { engine, service } = yield* Effect.acquireRelease(
        StoreRuntime.open(disk, { ...options, flushDiskType: "ASYNC_FLUSH" }, clock, ""),
        (opened) => opened.close()
      )
      yield* service.putMany(Array.from({ length: 100 }, () => ({ topic: "topic", body })))
      yield* service.flush
      engine.catchUp()
      const { freeBytes, totalBytes } = disk.space()
      disk.capacityBytes = Math.round((totalBytes - freeBytes) / 0.88)
      const cleans = () => spans.filter(({ name }) => name === "millrace.store.clean")
      const inAMinute = clock.nanoTime() + 60e9
      const remove = disk.remove.bind(disk)
      disk.remove = (path) => {
        throw new FileFailure({ code: "EACCES", operation: "remove", path })
      }
      engine.doWork(inAMinute)
      disk.remove = remove
      engine.doWork(2 * inAMinute)
      assert.deepStrictEqual(
        cleans().map(({ attributes, status }) => [
          attributes.get("fromOffset"),
          status._tag === "Ended" ? status.exit._tag : status._tag
        ]),
        [
          [0, "Failure"],
          [0, "Success"]
        ]
      )
      assert.strictEqual(logs.filter(({ message }) => message.includes("was removed")).length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("says why it refuses messages, once, and that it takes them again", () => {
    const { layer, logs } = recorded()
    return Effect.gen(function* () {
      const later = (run: () => void) => void setImmediate(run)
      const disk = new SimulatedDisk({ random: randomOf(1), later, capacityBytes: 1 << 20 })
      const { engine, service } = yield* Effect.acquireRelease(
        StoreRuntime.open(disk, { ...options, flushDiskType: "ASYNC_FLUSH" }, clock, ""),
        (opened) => opened.close()
      )
      yield* service.put({ topic: "topic", body })
      disk.fault = (operation, path) => (operation === "create" && path.includes("consumequeue") ? "ENOSPC" : undefined)
      engine.catchUp()
      engine.catchUp()
      disk.fault = () => undefined
      engine.catchUp()
      const told = logs.filter(({ message }) => message.includes("messages"))
      assert.strictEqual(told.length, 2)
      assert.match(told[0]!.message, /refuses messages: .*needs \d+ bytes/)
      assert.deepInclude(told[0]!.annotations, { directory: "/store", reason: "OutOfSpace" })
      assert.include(told[1]!.message, "takes messages again")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
