import { assert, describe, it } from "@effect/vitest"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Publication from "@millrace/transport/Publication"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Sampling from "../../src/internal/sampling.ts"
import { type Absent, isAbsent, type Sample } from "../../src/top/Sample.ts"
import type { DriverSample } from "../../src/top/DriverSample.ts"
import type { StoreSample } from "../../src/top/StoreSample.ts"
import * as Millrace from "../support/Millrace.ts"

const driverOf = ({ driver }: Sample): DriverSample => {
  assert.isTrue(driver !== null && !isAbsent(driver), JSON.stringify(driver))
  return driver as DriverSample
}

const storeOf = ({ store }: Sample): StoreSample => {
  assert.isTrue(store !== null && !isAbsent(store), JSON.stringify(store))
  return store as StoreSample
}

const message = (n: number) => ({ topic: "trades", queueId: n % 2, body: Buffer.from(`${n}`), keys: `k${n}` })

const embedded = (directory: string) =>
  Client.layer.pipe(
    Layer.provideMerge(MediaDriver.layerEmbedded({ directory, threading: "invoker", publicationLingerTimeout: 1 }))
  )

describe("sampling", () => {
  it.live("shows how a stream moves, without being a client", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const subscription = yield* Subscription.make({ channel: "aeron:ipc", streamId: 7 })
      const publication = yield* Publication.make({ channel: "aeron:ipc", streamId: 7, linger: 1 })
      const sample = yield* Sampling.make({ driver: directory, store: undefined })
      const before = driverOf(yield* sample)
      assert.isNull(before.rates)
      yield* publication.publishMany(["a", "b", "c"].map((text) => Buffer.from(text)))
      yield* Stream.runDrain(Stream.take(subscription.stream, 3))
      // The driver counts in its own time.
      const after = yield* sample.pipe(
        Effect.map(driverOf),
        Effect.delay("5 millis"),
        Effect.repeat({ until: ({ streams }) => streams[0]?.position === 192 && streams[0].behindBytes === 0 })
      )
      assert.deepInclude(after.streams[0], { streamId: 7, channel: "aeron:ipc" })
      assert.lengthOf(after.streams[0]!.subscribers, 1)
      assert.lengthOf(after.clients, 1)
      assert.isNotNull(after.rates)
    }).pipe(
      Effect.scoped,
      Effect.provide(Client.layer.pipe(Layer.provideMerge(MediaDriver.layerEmbedded({ threading: "invoker" }))))
    )
  )

  it.live("says that a driver has gone, and shows the one that comes to its directory", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* Millrace.directory, "driver")
      const first = yield* Scope.make()
      yield* Layer.buildWithScope(embedded(directory), first)
      const sample = yield* Sampling.make({ driver: directory, store: undefined })
      const { startMs } = driverOf(yield* sample)
      yield* Scope.close(first, Exit.void)
      fs.rmSync(directory, { recursive: true, force: true })
      const { driver } = yield* sample
      assert.include((driver as Absent).problem, `no media driver in ${directory}`)
      yield* Layer.build(embedded(directory))
      const again = driverOf(yield* sample)
      assert.isAtLeast(again.startMs, startMs)
      assert.isNull(again.rates)
    }).pipe(Effect.scoped)
  )

  it.live("shows how a store grows beside its writer, and what is wrong when it is gone", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* Millrace.directory, "store")
      const options = {
        directory,
        mappedFileSizeCommitLog: 1 << 20,
        mappedFileSizeConsumeQueue: 2000,
        maxHashSlotNum: 100,
        maxIndexNum: 400
      }
      const sample = yield* Effect.gen(function* () {
        const writer = yield* MessageStore.MessageStore
        yield* writer.putMany(Array.from({ length: 10 }, (_, n) => message(n)))
        yield* writer.flush
        const sample = yield* Sampling.make({ driver: undefined, store: { directory } })
        const isDispatched = ({ messages }: StoreSample) => messages === 10
        const look = Effect.map(sample, storeOf)
        const before = yield* look.pipe(Effect.delay("5 millis"), Effect.repeat({ until: isDispatched }))
        assert.deepInclude(before, { isOpen: true, pid: process.pid, queues: 2, dispatchBehindBytes: 0 })
        assert.strictEqual(before.topics[0]!.messages, 10)
        yield* writer.putMany(Array.from({ length: 400 }, (_, n) => message(n)))
        const after = yield* look.pipe(
          Effect.delay("5 millis"),
          Effect.repeat({ until: ({ messages }) => messages === 410 })
        )
        assert.isAbove(after.maxPosition, before.maxPosition)
        assert.isNotNull(after.messagesPerSecond)
        assert.isNotNull(after.lastStoreTimestamp)
        return sample
      }).pipe(Effect.provide(MessageStore.layer(options)))
      assert.isFalse(storeOf(yield* sample).isOpen)
      fs.rmSync(directory, { recursive: true })
      const { store } = yield* sample
      assert.include((store as Absent).problem, directory)
    }).pipe(Effect.scoped)
  )
})
