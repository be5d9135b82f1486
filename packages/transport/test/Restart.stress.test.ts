/**
 * Real driver processes that are killed and started again under clients that reconnect, and a client that blocks its own
 * event loop for longer than its driver waits. The long form kills more often, and blocks for 12 seconds with the driver's
 * own timeouts.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { startScript } from "@millrace/testkit/runScript"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Client from "../src/Client.ts"
import type { FragmentBatch } from "../src/FragmentBatch.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, reasonOf, textOf, until } from "./fixtures/embedded.ts"

const driverProcess = new URL("fixtures/driverProcess.ts", import.meta.url)
const publisherProcess = new URL("fixtures/reconnectingPublisher.ts", import.meta.url)

const IS_LONG = process.env["MILLRACE_COUNT"] !== undefined
const KILLS = IS_LONG ? 10 : 1
const BLOCK = IS_LONG ? { livenessMs: 10_000, blockMs: 12_000 } : { livenessMs: 2_000, blockMs: 2_800 }
/** A message of 8 bytes with its header, in the log. */
const FRAME_LENGTH = 64

const ipc = { channel: "aeron:ipc?term-length=64k", streamId: 1001, linger: 0 } as const

const startDriver = (directory: string, ...options: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = startScript(driverProcess, [directory, ...options])
    await child.line("ready")
    return child
  })

/** The numbers that came: they never go back, and what is missing between them is counted. */
const counting = () => {
  let last = -1
  let missing = 0
  return {
    last: () => last,
    missing: () => missing,
    take: (batch: FragmentBatch): void => {
      const view = new DataView(batch.buffer.buffer, batch.buffer.byteOffset, batch.buffer.byteLength)
      for (let index = 0; index < batch.count; index++) {
        const number = view.getFloat64(batch.offsets[index]!, true)
        assert.isAbove(number, last)
        missing += number - last - 1
        last = number
      }
    }
  }
}

/** What is logged is another test's matter. */
const quietly = <A, E>(layer: Layer.Layer<A, E>): Layer.Layer<A, E> => Layer.provideMerge(layer, Logger.layer([]))

/** Synchronous code that keeps the event loop for so long. */
const block = (ms: number): void => {
  const endMs = Date.now() + ms
  while (Date.now() < endMs) {
    // Nothing else runs.
  }
}

describe("a driver that is killed and started again", () => {
  it.live(
    "loses what was not read, says so, and takes nothing twice and nothing back",
    () =>
      Effect.gen(function* () {
        const directory = join(temporaryDirectory(), "driver")
        const start = startDriver(directory, "timerInterval=100")
        let driver = yield* start
        yield* Effect.gen(function* () {
          const { status } = yield* Client.Client
          const seen: Array<Client.ClientStatus> = []
          yield* Stream.runForEach(status, (next) => Effect.sync(() => seen.push(next))).pipe(Effect.forkScoped)
          const subscription = yield* Subscription.make(ipc)
          const numbers = counting()
          yield* Stream.runForEach(subscription.batches, (batch) => Effect.sync(() => numbers.take(batch))).pipe(
            Effect.forkScoped
          )
          const publisher = startScript(publisherProcess, [directory, ipc.channel, String(ipc.streamId)])
          yield* Effect.promise(() => publisher.line("flowing"))
          for (let kill = 0; kill < KILLS; kill++) {
            driver.process.kill("SIGKILL")
            yield* Effect.promise(() => driver.ended)
            driver = yield* start
            yield* until(Effect.sync(() => seen.length === 3 + 2 * kill && seen.at(-1)!._tag === "Reconnected"))
            const before = numbers.last()
            yield* until(Effect.sync(() => numbers.last() > before + 1000))
          }
          publisher.process.kill("SIGKILL")
          const { stdout } = yield* Effect.promise(() => publisher.ended)
          const undrained = Array.from(stdout.matchAll(/Waiting (\w+) (\d+)/g))
          assert.strictEqual(undrained.length, KILLS)
          for (const [, reason] of undrained) {
            assert.include(["DriverTimeout", "DriverReplaced"], reason)
          }
          // Behind what the publisher said, others may have been read before the subscriber saw the end of the driver.
          const undrainedBytes = undrained.reduce((sum, [, , bytes]) => sum + Number(bytes), 0)
          assert.isAtMost(numbers.missing() * FRAME_LENGTH, undrainedBytes)
          driver.process.kill("SIGKILL")
        }).pipe(
          Effect.scoped,
          Effect.provide(quietly(Client.layerWith({ directory, driverTimeout: "4 seconds", reconnect: true })))
        )
      }),
    60_000 * KILLS
  )
})

describe("a client whose program blocks its event loop for longer than the driver waits", () => {
  const blocked = (reconnect: boolean) =>
    Effect.gen(function* () {
      const directory = join(temporaryDirectory(), "driver")
      const driver = yield* startDriver(directory, `clientLivenessTimeout=${BLOCK.livenessMs}`)
      yield* Effect.gen(function* () {
        const client = yield* Client.Client
        const seen: Array<Client.ClientStatus> = []
        const following = Stream.runForEach(client.status, (next) => Effect.sync(() => seen.push(next)))
        yield* Effect.forkScoped(Effect.ignore(following))
        const subscription = yield* Subscription.make(ipc)
        const publication = yield* Publication.make(ipc)
        yield* publication.publish(bytesOf("before"))
        yield* Stream.runDrain(Stream.take(subscription.stream, 1))
        block(BLOCK.blockMs)
        if (!reconnect) {
          const reason = yield* reasonOf(client.awaitFailure)
          assert(reason._tag === "ServiceTimeout")
          assert.isAtLeast(reason.intervalMs, BLOCK.blockMs - 100)
          assert.strictEqual(reason.limitMs, BLOCK.livenessMs)
          assert.strictEqual((yield* reasonOf(publication.offer(bytesOf("x"))))._tag, "ServiceTimeout")
          assert.strictEqual((yield* reasonOf(Stream.runDrain(subscription.stream)))._tag, "ServiceTimeout")
          return
        }
        yield* until(Effect.sync(() => seen.at(-1)?._tag === "Reconnected"))
        const back = seen.at(-1)!
        assert(back._tag === "Reconnected")
        assert.strictEqual(back.reason._tag, "ServiceTimeout")
        // The driver lives on, and has lost nothing.
        assert.deepStrictEqual(back.undrained, [])
        yield* publication.publish(bytesOf("after"))
        const messages = yield* Stream.runCollect(Stream.take(subscription.stream, 1))
        assert.deepStrictEqual(messages.map(textOf), ["after"])
      }).pipe(Effect.scoped, Effect.provide(quietly(Client.layerWith({ directory, reconnect }))))
      driver.process.kill("SIGKILL")
    })

  it.live("registers anew and goes on, if it is to reconnect", () => blocked(true), 60_000)

  it.live("fails with the time it did not run and the limit, if it is not", () => blocked(false), 60_000)
})
