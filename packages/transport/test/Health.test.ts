import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Health from "../src/Health.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { embedded, reasonOf, until } from "./fixtures/embedded.ts"

const ipc = { channel: "aeron:ipc", streamId: 1001, linger: 0 } as const

const layer = Health.layer.pipe(Layer.provideMerge(embedded()))

describe("Health", () => {
  it.live("says who the driver is, that it lives, and how much room its directory has", () =>
    Effect.gen(function* () {
      const health = yield* Health.Health
      const { directory } = yield* MediaDriver.MediaDriver
      const report = yield* health.check
      assert.strictEqual(report.driver.directory, directory)
      assert.strictEqual(report.driver.pid, process.pid)
      assert.isBelow(report.driver.heartbeatAgeMs!, 10_000)
      assert.isAbove(report.disk.totalBytes, report.disk.freeBytes - 1)
      assert.deepStrictEqual(report.errors, [])
      const [watched] = yield* Stream.runCollect(Stream.take(health.watch("1 millis"), 1))
      assert.strictEqual(watched!.driver.pid, process.pid)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("finds publications that are held back, and errors of the driver", () =>
    Effect.gen(function* () {
      const { check } = yield* Health.Health
      yield* Subscription.make(ipc)
      const publication = yield* Publication.make(ipc)
      yield* until(publication.isConnected)
      yield* until(Effect.map(publication.offer(new Uint8Array(1000)), ({ _tag }) => _tag === "BackPressured"))
      yield* until(Effect.map(check, ({ heldBack }) => heldBack.length === 1))
      yield* reasonOf(Publication.make({ channel: "aeron:ipc?term-length=5", streamId: 1 }))
      const report = yield* check
      assert.strictEqual(report.status, "Degraded")
      const [held] = report.heldBack
      assert.deepInclude(held, { streamId: 1001, sessionId: publication.sessionId })
      assert.isAbove(Number(held!.backlog), 30_000)
      assert.include(report.errors[0]!.text, "term-length")
      assert.isTrue(report.findings.some((finding) => finding.includes("is held back: its slowest subscriber")))
      assert.isTrue(report.findings.some((finding) => finding.startsWith("the driver recorded 1 x")))
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
