/**
 * A stream between two machines that do not exist, over a network that loses a quarter of what it is given: drivers and
 * clients are the real ones, time is not. The same seed gives the same run.
 */
import { deepStrictEqual } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Client, MediaDriver, Publication, Simulation, Subscription } from "@millrace/transport"
import { Console, Effect, Layer, Stream } from "effect"

const channel = "aeron:udp?endpoint=receiver:40123"
const streamId = 1001
const count = 500

/** A machine with a driver, and a client of it. */
const host = (name: string) => Client.layer.pipe(Layer.provideMerge(MediaDriver.layerSimulated({ host: name })))

const send = Effect.gen(function* () {
  const readings = yield* Publication.make({ channel, streamId })
  yield* Stream.range(1, count).pipe(
    Stream.map((number) => new TextEncoder().encode(`reading ${number}`)),
    Stream.run(readings.sink)
  )
  // What was lost is asked for again, while the publication is there.
  yield* Effect.sleep("5 seconds")
}).pipe(Effect.scoped, Effect.provide(host("sender")))

const receive = Effect.gen(function* () {
  const readings = yield* Subscription.make({ channel, streamId })
  return yield* readings.stream.pipe(
    Stream.map((bytes) => new TextDecoder().decode(bytes)),
    Stream.take(count),
    Stream.runCollect
  )
}).pipe(Effect.scoped, Effect.provide(host("receiver")))

const program = Effect.gen(function* () {
  const network = yield* Simulation.Simulation
  const cut = Effect.sleep("1 second").pipe(
    Effect.andThen(network.partition("sender", "receiver")),
    Effect.andThen(Effect.sleep("2 seconds")),
    Effect.andThen(network.heal)
  )
  const [readings] = yield* Effect.all([receive, send, cut], { concurrency: "unbounded" })
  deepStrictEqual(
    Array.from(readings),
    Array.from({ length: count }, (_, index) => `reading ${index + 1}`)
  )
  yield* Console.log(`${count} readings, in order, over a network that lost a quarter and was cut in two`)
}).pipe(
  Effect.provide(Simulation.layer({ seed: 42, faults: { lossRate: 0.25, duplicateRate: 0.1, delayMax: "5 millis" } })),
  Simulation.run
)

NodeRuntime.runMain(program)
