import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as Client from "../src/Client.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import * as Publication from "../src/Publication.ts"
import * as Simulation from "../src/Simulation.ts"
import * as Subscription from "../src/Subscription.ts"

const channel = "aeron:udp?endpoint=receiver:40123"
const streamId = 7

const host = (name: string) => Client.layer.pipe(Layer.provideMerge(MediaDriver.layerSimulated({ host: name })))

const texts = (messages: Iterable<Uint8Array>): ReadonlyArray<string> =>
  Array.from(messages, (message) => new TextDecoder().decode(message))

const receive = (count: number) =>
  Effect.gen(function* () {
    const subscription = yield* Subscription.make({ channel, streamId })
    return texts(yield* subscription.stream.pipe(Stream.take(count), Stream.runCollect))
  }).pipe(Effect.scoped, Effect.provide(host("receiver")))

const send = (count: number) =>
  Effect.gen(function* () {
    const publication = yield* Publication.make({ channel, streamId })
    yield* Stream.range(0, count - 1).pipe(
      Stream.map((number) => new TextEncoder().encode(`${number} ${"x".repeat(900)}`)),
      Stream.run(publication.sink)
    )
    yield* Effect.sleep("1 second")
  }).pipe(Effect.scoped, Effect.provide(host("sender")))

const carried = (count: number, options: Simulation.SimulationOptions) =>
  Effect.all([receive(count), send(count)], { concurrency: "unbounded" }).pipe(
    Effect.map(([received]) => received.map((text) => Number(text.split(" ")[0]))),
    Effect.provide(Simulation.layer(options)),
    Simulation.run
  )

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

describe("Simulation", () => {
  it.live("carries a stream of several terms between two hosts over a network that loses, doubles and delays", () =>
    Effect.gen(function* () {
      const faults = {
        lossRate: 0.2,
        duplicateRate: 0.1,
        reorderRate: 0.1,
        delayMin: "1 millis",
        delayMax: "9 millis"
      } as const
      assert.deepStrictEqual(yield* carried(250, { seed: 1, faults }), numbers(250))
    })
  )

  it.live("takes as much of its own time for a seed each time", () =>
    Effect.gen(function* () {
      const elapsed = Effect.gen(function* () {
        const simulation = yield* Simulation.Simulation
        assert.strictEqual(simulation.seed, 5)
        const [duration] = yield* Effect.timed(receive(100)).pipe(
          Effect.zip(send(100), { concurrent: true }),
          Effect.map(([timed]) => timed)
        )
        return String(duration)
      }).pipe(
        Effect.provide(Simulation.layer({ seed: 5, faults: { lossRate: 0.25, delayMax: "20 millis" } })),
        Simulation.run
      )
      assert.strictEqual(yield* elapsed, yield* elapsed)
    })
  )

  it.live("parts hosts until it is healed", () =>
    Effect.gen(function* () {
      const simulation = yield* Simulation.Simulation
      yield* simulation.partition("sender", "receiver")
      const received = yield* Effect.forkChild(receive(1))
      const sent = yield* Effect.forkChild(send(1))
      yield* Effect.sleep("3 seconds")
      assert.isUndefined(received.pollUnsafe())
      yield* simulation.heal
      assert.strictEqual((yield* Fiber.join(received)).length, 1)
      yield* Fiber.join(sent)
    }).pipe(Effect.provide(Simulation.layer({ seed: 2 })), Simulation.run)
  )

  it.effect("goes on with the clock of a test", () =>
    Effect.gen(function* () {
      const received = yield* Effect.forkChild(receive(2))
      const sent = yield* Effect.forkChild(send(2))
      while (received.pollUnsafe() === undefined) {
        yield* TestClock.adjust("10 millis")
        // Streams look at shared memory in their own turns of the event loop.
        yield* Effect.promise(() => new Promise(setImmediate))
      }
      assert.strictEqual((yield* Fiber.join(received)).length, 2)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(sent)
    }).pipe(Effect.provide(Simulation.layer({ seed: 3 })))
  )

  it.live("carries streams within one host over ipc", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make({ channel: "aeron:ipc", streamId })
      const publication = yield* Publication.make({ channel: "aeron:ipc", streamId })
      yield* Stream.make("a", "b").pipe(
        Stream.map((text) => new TextEncoder().encode(text)),
        Stream.run(publication.sink)
      )
      assert.deepStrictEqual(texts(yield* subscription.stream.pipe(Stream.take(2), Stream.runCollect)), ["a", "b"])
    }).pipe(Effect.scoped, Effect.provide(host("alone")), Effect.provide(Simulation.layer({ seed: 4 })), Simulation.run)
  )

  it.live("refuses an option of the driver that is not allowed", () =>
    Effect.gen(function* () {
      const layer = MediaDriver.layerSimulated({ termBufferLength: 100_000 })
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      assert.strictEqual(error.reason._tag, "InvalidOption")
    }).pipe(Effect.provide(Simulation.layer({ seed: 4 })), Simulation.run)
  )
})
