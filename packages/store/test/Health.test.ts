import { clock } from "@millrace/core/AgentRunner"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Health from "../src/Health.ts"
import { StoreRuntime } from "../src/internal/storeRuntime.ts"
import { SimulatedDisk } from "../src/mapped/SimulatedDisk.ts"
import * as MessageStore from "../src/MessageStore.ts"
import type { StoreOptions } from "../src/engine/StoreOptions.ts"
import { options, randomOf } from "./fixtures/SimulatedStore.ts"

const LOG = "/store/commitlog/00000000000000000000"
const MAGIC_BIT = 40
const DEVICE_LENGTH = 1 << 20

const message = { topic: "topic", queueId: 0, body: new Uint8Array(10) }

/** A service over a simulated disk, run by its real loop. */
const open = Effect.fnUntraced(function* (more: Partial<StoreOptions> = {}) {
  const later = (run: () => void) => void setImmediate(run)
  const disk = new SimulatedDisk({ random: randomOf(1), later, capacityBytes: DEVICE_LENGTH })
  const runtime = yield* Effect.acquireRelease(StoreRuntime.open(disk, { ...options, ...more }, clock, ""), (opened) =>
    opened.close()
  )
  return { disk, runtime, store: runtime.service }
})

const isTold = ({ findings }: Health.HealthReport, text: string | RegExp) =>
  findings.some((finding) => (typeof text === "string" ? finding.includes(text) : text.test(finding)))

describe("Health", () => {
  it.effect("finds nothing at a store that works, now and at every interval", () =>
    Effect.gen(function* () {
      const health = yield* Health.Health
      const report = yield* health.check
      assert.deepInclude(report, { status: "Healthy", findings: [], refusal: undefined, dirtyBytes: 0 })
      assert.isTrue(report.store.isWriteable)
      assert.isAtLeast(report.disk.totalBytes, report.disk.freeBytes)
      const [watched] = yield* Stream.runCollect(Stream.take(health.watch("1 millis"), 1))
      assert.deepStrictEqual(watched, report)
    }).pipe(Effect.provide(Layer.provideMerge(Health.layer, MessageStore.layerMemory())))
  )

  it.effect("is down for good after a sync that failed, and says which", () =>
    Effect.gen(function* () {
      const { disk, store } = yield* open()
      disk.fault = (operation, path) => (operation === "sync" && path === LOG ? "EIO" : undefined)
      yield* Effect.flip(store.put(message))
      disk.fault = () => undefined
      const report = yield* store.health
      assert.strictEqual(report.status, "Down")
      assert.strictEqual(report.flushFailure?.reason._tag, "FlushFailed")
      assert.strictEqual(report.refusal?.reason._tag, "FlushFailed")
      assert.isFalse(report.store.isWriteable)
      assert.isTrue(isTold(report, LOG))
      assert.isAbove(report.dirtyBytes, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("is down when the log cannot be read on, and degraded while queues have no room", () =>
    Effect.gen(function* () {
      const { disk, runtime, store } = yield* open({ flushDiskType: "ASYNC_FLUSH" })
      disk.fault = (operation, path) => (operation === "create" && path.includes("consumequeue") ? "ENOSPC" : undefined)
      yield* store.put(message)
      runtime.engine.catchUp()
      const blocked = yield* store.health
      assert.strictEqual(blocked.status, "Degraded")
      assert.strictEqual(blocked.refusal?.reason._tag, "OutOfSpace")
      assert.isAbove(blocked.dispatchBehindBytes, 0)
      disk.fault = () => undefined
      runtime.engine.catchUp()
      assert.deepInclude(yield* store.health, { status: "Healthy", findings: [], dispatchBehindBytes: 0 })
      yield* store.put(message)
      const { dispatchedPosition } = store.figuresUnsafe()
      disk.flipBit(LOG, 8 * dispatchedPosition + MAGIC_BIT)
      runtime.engine.catchUp()
      const broken = yield* store.health
      assert.strictEqual(broken.status, "Down")
      assert.isTrue(isTold(broken, `cannot be read at ${dispatchedPosition}`))
    }).pipe(Effect.scoped)
  )

  it.effect("says when dispatch is far behind", () =>
    Effect.gen(function* () {
      const { store } = yield* open({ flushDiskType: "ASYNC_FLUSH", dispatchBehindBytesMax: 200 })
      yield* store.putMany([message, message])
      const report = yield* store.health
      assert.strictEqual(report.status, "Degraded")
      assert.isTrue(isTold(report, /dispatch .* bytes behind, at 200 \(dispatchBehindBytesMax\)/))
      assert.isTrue(report.store.isWriteable)
    }).pipe(Effect.scoped)
  )

  it.effect("says what the fill of the device leads to, with the figures", () =>
    Effect.gen(function* () {
      const { disk, store } = yield* open()
      yield* store.put(message)
      assert.strictEqual((yield* store.health).disk.pressure, "none")
      const { freeBytes, totalBytes } = disk.space()
      const usedBytes = totalBytes - freeBytes
      for (const [percent, pressure, finding] of [
        [80, "reclaim", /expired files are removed at any hour/],
        [88, "force", /the oldest files are removed whatever their age/],
        [95, "full", /has \d+ of \d+ bytes left: it counts as full/]
      ] as const) {
        disk.capacityBytes = Math.round((usedBytes * 100) / percent)
        const report = yield* store.health
        assert.deepStrictEqual(report.disk, { ...disk.space(), pressure })
        assert.strictEqual(report.status, "Degraded")
        assert.isTrue(isTold(report, finding))
      }
    }).pipe(Effect.scoped)
  )

  it.effect("does not count it against a store that it was opened for reading, and answers after its end", () =>
    Effect.gen(function* () {
      const { disk, runtime, store } = yield* open()
      yield* store.put(message)
      yield* runtime.close()
      const ended = yield* store.health
      assert.strictEqual(ended.status, "Down")
      assert.strictEqual(ended.refusal?.reason._tag, "Closed")
      const reader = yield* Effect.acquireRelease(
        StoreRuntime.open(disk, { ...options, readOnly: true }, clock, ""),
        (opened) => opened.close()
      )
      const report = yield* reader.service.health
      assert.strictEqual(report.status, "Healthy")
      assert.strictEqual(report.refusal?.reason._tag, "NotWriteable")
    }).pipe(Effect.scoped)
  )
})
