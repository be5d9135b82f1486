/**
 * Drivers and clients on simulated machines: for tests of programs that stream. Memory, network and time are simulated,
 * everything else is the real driver and the real client. The network loses, doubles, delays and parts as it is told, and
 * all chance comes from one seed, so that what a test finds once it finds again.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { remember, SimulatedWorld } from "./internal/simulatedWorld.ts"
import * as virtualClock from "./internal/virtualClock.ts"

/**
 * What the network does to datagrams. What is left out does not happen.
 *
 * @category models
 * @since 0.1.0
 */
export interface Faults {
  /** The part of them that is lost: from 0 to 1. */
  readonly lossRate?: number
  /** The part that arrives twice. */
  readonly duplicateRate?: number
  /** The part that is held up for `reorderDelay`, so that others overtake them. */
  readonly reorderRate?: number
  /** Default 1 ms. */
  readonly reorderDelay?: Duration.Input
  /** Each takes a time between the two. Default 0. */
  readonly delayMin?: Duration.Input
  /** Default `delayMin`. */
  readonly delayMax?: Duration.Input
}

/**
 * Options of a simulation.
 *
 * @category models
 * @since 0.1.0
 */
export interface SimulationOptions {
  /** Where all chance comes from: a whole number. */
  readonly seed: number
  /** How often drivers and clients have their turn. Default 1 ms. */
  readonly tick?: Duration.Input
  /** What goes wrong from the beginning. Default: nothing. */
  readonly faults?: Faults
}

/**
 * What can be done to a simulation while it runs.
 *
 * @category models
 * @since 0.1.0
 */
export interface SimulationService {
  readonly seed: number
  /** From now on these faults happen, and no others. */
  readonly setFaults: (faults: Faults) => Effect.Effect<void>
  /** From now on nothing passes between two hosts, whichever way. */
  readonly partition: (hostA: string, hostB: string) => Effect.Effect<void>
  /** Ends all faults and partitions. */
  readonly heal: Effect.Effect<void>
}

/**
 * The service of a simulation.
 *
 * @category services
 * @since 0.1.0
 */
export class Simulation extends Context.Service<Simulation, SimulationService>()("@millrace/transport/Simulation") {}

const NS_PER_MS = 1e6

const nanos = (input: Duration.Input | undefined, defaultNs: number): number =>
  input === undefined ? defaultNs : Duration.toMillis(input) * NS_PER_MS

const applyFaults = (world: SimulatedWorld, faults: Faults): void => {
  const delayMinNs = nanos(faults.delayMin, 0)
  Object.assign(world.network.faults, {
    lossRate: faults.lossRate ?? 0,
    duplicateRate: faults.duplicateRate ?? 0,
    reorderRate: faults.reorderRate ?? 0,
    reorderDelayNs: nanos(faults.reorderDelay, NS_PER_MS),
    delayMinNs,
    delayMaxNs: Math.max(delayMinNs, nanos(faults.delayMax, delayMinNs))
  })
}

/**
 * A network without machines: those come with `MediaDriver.layerSimulated`.
 *
 * **Details**
 *
 * Its time is that of Effect's `Clock`: under `run` it passes by itself, under `TestClock` by `TestClock.adjust`, and
 * else as fast as it does outside.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: SimulationOptions): Layer.Layer<Simulation> =>
  Layer.effect(
    Simulation,
    Effect.gen(function* () {
      const world = new SimulatedWorld(options.seed)
      applyFaults(world, options.faults ?? {})
      const tick = Duration.fromInputUnsafe(options.tick ?? "1 millis")
      const tickNs = Duration.toMillis(tick) * NS_PER_MS
      yield* Effect.sleep(tick).pipe(
        Effect.andThen(Effect.sync(() => world.step(tickNs))),
        Effect.forever,
        Effect.forkScoped
      )
      const service: SimulationService = {
        seed: options.seed,
        setFaults: (faults) => Effect.sync(() => applyFaults(world, faults)),
        partition: (hostA, hostB) => Effect.sync(() => world.partition(hostA, hostB)),
        heal: Effect.sync(() => world.heal())
      }
      return remember(service, world)
    })
  )

/**
 * Runs a program by a clock of its own, which goes to the next moment that somebody waits for as soon as all fibers rest:
 * minutes of a simulation take moments, and the same seed gives the same run.
 *
 * **Example** (A message over a network that loses every fifth datagram)
 *
 * ```ts
 * import { Client, MediaDriver, Publication, Simulation, Subscription } from "@millrace/transport"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const channel = "aeron:udp?endpoint=receiver:40123"
 * const host = (name: string) => Client.layer.pipe(Layer.provideMerge(MediaDriver.layerSimulated({ host: name })))
 *
 * const receive = Effect.gen(function*() {
 *   const subscription = yield* Subscription.make({ channel, streamId: 1 })
 *   return yield* subscription.stream.pipe(Stream.take(3), Stream.runCollect)
 * }).pipe(Effect.scoped, Effect.provide(host("receiver")))
 *
 * const send = Effect.gen(function*() {
 *   const publication = yield* Publication.make({ channel, streamId: 1 })
 *   yield* Stream.make("a", "b", "c").pipe(
 *     Stream.map((text) => new TextEncoder().encode(text)),
 *     Stream.run(publication.sink)
 *   )
 *   yield* Effect.sleep("2 seconds")
 * }).pipe(Effect.scoped, Effect.provide(host("sender")))
 *
 * const program = Effect.all([receive, send], { concurrency: "unbounded" }).pipe(
 *   Effect.map(([messages]) => Array.from(messages, (bytes) => new TextDecoder().decode(bytes)).join("")),
 *   Effect.provide(Simulation.layer({ seed: 1, faults: { lossRate: 0.2 } })),
 *   Simulation.run
 * )
 *
 * Effect.runPromise(program) // => "abc"
 * ```
 *
 * @category running
 * @since 0.1.0
 */
export const run = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  virtualClock.run(effect, Clock.Clock)
