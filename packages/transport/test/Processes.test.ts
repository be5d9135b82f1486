/** What happens to the others when one process of a driver, a publisher and a subscriber ends. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import type { FragmentBatch } from "../src/FragmentBatch.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { reasonOf } from "./fixtures/embedded.ts"
import { startScript } from "@millrace/testkit/runScript"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const driverProcess = new URL("fixtures/driverProcess.ts", import.meta.url)
const publisherProcess = new URL("fixtures/publisherProcess.ts", import.meta.url)

const ipc = { channel: "aeron:ipc?term-length=64k", streamId: 1001 } as const

/** Checks that numbers follow each other, and counts them. */
const counting = () => {
  let next = 0
  return {
    count: () => next,
    take: (batch: FragmentBatch): void => {
      const view = new DataView(batch.buffer.buffer, batch.buffer.byteOffset, batch.buffer.byteLength)
      for (let index = 0; index < batch.count; index++) {
        assert.strictEqual(view.getFloat64(batch.offsets[index]!, true), next)
        next++
      }
    }
  }
}

/** A driver of another process, and its directory. */
const driver = (...options: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const directory = join(temporaryDirectory(), "driver")
    const child = startScript(driverProcess, [directory, ...options])
    await child.line("ready")
    return { child, directory }
  })

describe("processes", () => {
  it.live("carry a stream from one to another through a third, whole and in order", () =>
    Effect.gen(function* () {
      const { child, directory } = yield* driver()
      const numbers = counting()
      const publisher = startScript(publisherProcess, [directory, ipc.channel, String(ipc.streamId), "200000"])
      yield* Effect.gen(function* () {
        const subscription = yield* Subscription.make(ipc)
        yield* subscription.borrowedBatches.pipe(
          Stream.tap((batch) => Effect.sync(() => numbers.take(batch))),
          Stream.takeUntil(() => numbers.count() === 200_000),
          Stream.runDrain
        )
      }).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory })))
      const ended = yield* Effect.promise(() => publisher.ended)
      assert.strictEqual(ended.stdout, "flowing\npublished\n")
      assert.strictEqual(ended.code, 0)
      child.process.kill("SIGKILL")
    })
  )

  it.live("end the image of a publisher that was killed within the client liveness timeout", () =>
    Effect.gen(function* () {
      const { directory } = yield* driver("clientLivenessTimeout=2500")
      yield* Effect.gen(function* () {
        const subscription = yield* Subscription.make(ipc)
        const numbers = counting()
        const publisher = startScript(publisherProcess, [directory, ipc.channel, String(ipc.streamId), "0"])
        const reading = yield* Effect.forkScoped(
          Effect.gen(function* () {
            const [image] = yield* Stream.runCollect(Stream.take(subscription.images, 1))
            yield* Stream.runForEach(image!.batches, (batch) => Effect.sync(() => numbers.take(batch)))
          })
        )
        yield* Effect.promise(() => publisher.line("flowing"))
        publisher.process.kill("SIGKILL")
        // The stream ends in order, after everything that was published: dying and closing look the same.
        yield* Fiber.join(reading).pipe(Effect.timeout("10 seconds"))
        assert.isAtLeast(numbers.count(), 1000)
      }).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory })))
    })
  )

  it.live("fail with DriverTimeout when their driver is killed, publisher and subscriber alike", () =>
    Effect.gen(function* () {
      const { child, directory } = yield* driver()
      const publisher = startScript(publisherProcess, [directory, ipc.channel, String(ipc.streamId), "0"])
      yield* Effect.gen(function* () {
        const client = yield* Client.Client
        const subscription = yield* Subscription.make(ipc)
        const reading = yield* Effect.forkScoped(reasonOf(Stream.runDrain(subscription.borrowedBatches)))
        yield* Effect.promise(() => publisher.line("flowing"))
        child.process.kill("SIGKILL")
        const reason = yield* Fiber.join(reading)
        assert(reason._tag === "DriverTimeout")
        assert.strictEqual(reason.timeoutMs, 2000)
        assert.include(reason.message, directory)
        assert.strictEqual((yield* reasonOf(client.awaitFailure))._tag, "DriverTimeout")
        assert.strictEqual((yield* reasonOf(Publication.make(ipc)))._tag, "DriverTimeout")
        assert.strictEqual((yield* reasonOf(subscription.poll(() => {}, 1)))._tag, "DriverTimeout")
      }).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory, driverTimeout: "2 seconds" })))
      const ended = yield* Effect.promise(() => publisher.ended)
      assert.include(ended.stdout, "failed DriverTimeout")
    })
  )

  it.live("fail with DriverEnded when their driver shuts down", () =>
    Effect.gen(function* () {
      const { child, directory } = yield* driver("allowTermination=true")
      yield* Effect.gen(function* () {
        const client = yield* Client.Client
        const publication = yield* Publication.make(ipc)
        yield* MediaDriver.requestTermination({ directory })
        assert.strictEqual((yield* reasonOf(client.awaitFailure))._tag, "DriverEnded")
        assert.strictEqual((yield* reasonOf(publication.publish(new Uint8Array(1))))._tag, "DriverEnded")
        assert.strictEqual((yield* reasonOf(publication.offer(new Uint8Array(1))))._tag, "DriverEnded")
      }).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory })))
      assert.strictEqual((yield* Effect.promise(() => child.ended)).code, 0)
    })
  )

  it.live("find a driver that is just starting, and say what is there when none comes", () =>
    Effect.gen(function* () {
      const directory = join(temporaryDirectory(), "driver")
      const connecting = yield* Effect.forkChild(
        Effect.scoped(Effect.asVoid(Subscription.make(ipc))).pipe(
          Effect.provide(Client.layerWith({ directory, driverTimeout: "20 seconds" }))
        )
      )
      const child = startScript(driverProcess, [directory])
      yield* Effect.promise(() => child.line("ready"))
      yield* Fiber.join(connecting)
      const reason = yield* reasonOf(
        Effect.asVoid(Client.Client).pipe(
          Effect.provide(Client.layerWith({ directory: join(directory, "none"), driverTimeout: "100 millis" }))
        )
      )
      assert(reason._tag === "DriverNotFound")
      assert.include(reason.message, "there is no CnC file")
      child.process.kill("SIGKILL")
      yield* Effect.promise(() => child.ended)
      const dead = yield* reasonOf(
        Effect.asVoid(Client.Client).pipe(Effect.provide(Client.layerWith({ directory, driverTimeout: "1 millis" })))
      )
      assert(dead._tag === "DriverNotFound")
      assert.include(dead.message, `pid ${child.process.pid}`)
    })
  )
})
