import { assert, describe, it } from "@effect/vitest"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import { LossReport } from "@millrace/core/kernel/lossreport/LossReport"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import * as Inspector from "../src/Inspector.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, freePort, reasonOf, textOf, until } from "./fixtures/embedded.ts"

const publishRead = Effect.fnUntraced(function* (channel: string, read: number) {
  const { directory } = yield* MediaDriver.MediaDriver
  const subscription = yield* Subscription.make({ channel, streamId: 7 })
  const publication = yield* Publication.make({ channel, streamId: 7 })
  yield* publication.publishMany(["one", "two", "three"].map(bytesOf))
  let received = 0
  yield* until(
    Effect.map(
      subscription.poll(() => {}, read - received),
      (count) => (received += count) >= read
    )
  )
  return { inspector: yield* Inspector.open({ directory }), publication, subscription, directory }
})

describe("Inspector", () => {
  it.live("shows the driver, its counters, and those of a stream together", () =>
    Effect.gen(function* () {
      const { directory, inspector, publication, subscription } = yield* publishRead("aeron:ipc", 3)
      const status = yield* inspector.status
      assert.deepInclude(status, { directory, pid: process.pid, cncVersion: "0.2.0" })
      assert.isBelow(status.heartbeatAgeMs!, 10_000)
      const counters = yield* inspector.counters
      assert.strictEqual(counters[0]!.label, "Bytes sent")
      const [stream, ...others] = yield* inspector.streams
      assert.lengthOf(others, 0)
      assert.deepInclude(stream, { sessionId: publication.sessionId, streamId: 7, channel: "aeron:ipc" })
      const byName = new Map(stream!.counters.map((counter) => [counter.name, counter]))
      assert.deepInclude(byName.get("pub-pos (concurrent)"), { registrationId: publication.registrationId })
      assert.deepInclude(byName.get("sub-pos"), { registrationId: subscription.registrationId, value: 192n })
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("says how far behind a subscriber is", () =>
    Effect.gen(function* () {
      const { inspector, publication, subscription } = yield* publishRead("aeron:ipc", 1)
      const isPublished = Effect.map(inspector.backlogs, ([row]) => row?.publisher?.position === 192n)
      yield* until(isPublished)
      const [row] = yield* inspector.backlogs
      assert.deepInclude(row!.publisher, { registrationId: publication.registrationId })
      assert.isUndefined(row!.sender)
      assert.isUndefined(row!.receiver)
      assert.deepStrictEqual(row!.subscribers, [
        { registrationId: subscription.registrationId, position: 64n, backlog: 128n }
      ])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("shows both sides of a network stream", () =>
    Effect.gen(function* () {
      const port = yield* freePort()
      const { inspector } = yield* publishRead(`aeron:udp?endpoint=localhost:${port}`, 3)
      yield* until(
        Effect.map(inspector.backlogs, ([row]) => row?.sender?.backlog === 0n && row.receiver?.position === 192n)
      )
      const [row] = yield* inspector.backlogs
      assert.isTrue(row!.sender!.window > 0n)
      assert.strictEqual(row!.receiver!.backlog, 0n)
      assert.strictEqual(row!.subscribers[0]!.backlog, 0n)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("shows errors, and loss", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const inspector = yield* Inspector.open({ directory })
      assert.deepStrictEqual([yield* inspector.errors, yield* inspector.losses], [[], []])
      yield* reasonOf(Subscription.make({ channel: "aeron:udp?endpoint=no.such.host.invalid:40123", streamId: 1 }))
      assert.match((yield* inspector.errors)[0]!.text, /no\.such\.host\.invalid/)
      const region = Mapping.open(join(directory, "loss-report.dat"))
      new LossReport(region.buffer()).createEntry(1408, Date.now(), 5, 7, "aeron:udp?endpoint=a:1", "10.0.0.1:2")
      region.close()
      const [loss] = yield* inspector.losses
      assert.deepInclude(loss, { sessionId: 5, streamId: 7, totalBytesLost: 1408n, source: "10.0.0.1:2" })
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("shows the frames of a log that is in use", () =>
    Effect.gen(function* () {
      const { directory, publication } = yield* publishRead("aeron:ipc", 1)
      const log = yield* Inspector.openLog(join(directory, "publications", `${publication.registrationId}.logbuffer`))
      const frames = yield* Stream.runCollect(log.frames())
      assert.deepStrictEqual(
        Array.from(frames, ({ payload }) => textOf(payload)),
        ["one", "two", "three"]
      )
      assert.deepInclude(yield* log.metadata, { streamId: 7, termLength: 65536, isConnected: true })
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.effect("says that there is no driver, and that a file is no log", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* reasonOf(Inspector.open({ directory: "/no/such" })), {
        _tag: "DriverNotFound",
        directory: "/no/such"
      })
      assert.strictEqual((yield* reasonOf(Inspector.openLog(import.meta.filename)))._tag, "Corrupt")
    }).pipe(Effect.scoped)
  )
})
