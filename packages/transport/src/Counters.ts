/**
 * The counters of a media driver: its own, those of streams, and those that programs add. All of them lie in the driver's
 * directory, where tools read them while it runs and after it has died (`Inspector`).
 *
 * @since 0.1.0
 */
import type { CounterRecord as CounterRecordKernel } from "@millrace/core/kernel/counters/CountersReader"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Client } from "./Client.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * One counter as it was at one moment: `id`, `typeId`, `value`, `registrationId`, `ownerId`, `referenceId`, `key`,
 * `label`. A copy.
 *
 * @category models
 * @since 0.1.0
 */
export type CounterRecord = CounterRecordKernel

/**
 * What a new counter is.
 *
 * @category models
 * @since 0.1.0
 */
export interface CounterOptions {
  /** What kind of counter it is. Aeron leaves numbers from 1000 on to users; others are its own. */
  readonly typeId: number
  /** For people: at most 380 bytes of UTF-8. */
  readonly label: string
  /** For programs: at most 112 bytes. Default: none. */
  readonly key?: Uint8Array
}

/**
 * What a static counter is: all who name the same `typeId` and `registrationId` have the same one.
 *
 * @category models
 * @since 0.1.0
 */
export interface StaticCounterOptions extends CounterOptions {
  readonly registrationId: bigint
}

/**
 * A counter of this program's own. Fails with `Closed` after its scope has ended.
 *
 * **Details**
 *
 * With `ClientOptions.reconnect` it is made anew by the next driver with the value that it had, under another
 * `registrationId` and `counterId`; what is set or added until then is kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface Counter {
  readonly typeId: number
  readonly label: string
  readonly registrationId: bigint
  /** Its place: others may have it when this one is gone. */
  readonly counterId: number
  readonly get: Effect.Effect<bigint, TransportError>
  readonly set: (value: bigint) => Effect.Effect<void, TransportError>
  /** Adds, atomically, also to what other programs add; returns the new value. */
  readonly add: (delta: bigint) => Effect.Effect<bigint, TransportError>
}

/**
 * A counter that some client has added, or that is gone and whose place may be another's.
 *
 * @category models
 * @since 0.1.0
 */
export interface CounterEvent {
  readonly _tag: "Available" | "Unavailable"
  readonly registrationId: bigint
  readonly counterId: number
}

/**
 * What can be done with counters.
 *
 * @category models
 * @since 0.1.0
 */
export interface CountersService {
  /** All counters of the driver as they are now, in the order of their ids. */
  readonly list: Effect.Effect<ReadonlyArray<CounterRecord>, TransportError>
  /** The counters of one type and, when it is given, one registration id. */
  readonly find: (
    typeId: number,
    registrationId?: bigint
  ) => Effect.Effect<ReadonlyArray<CounterRecord>, TransportError>
  /** The whole list, now and then every `interval`, 1 second by default. It never ends by itself. */
  readonly watch: (interval?: Duration.Input) => Stream.Stream<ReadonlyArray<CounterRecord>, TransportError>
  /**
   * Adds a counter for as long as the scope lasts. Fails with `InvalidOption`, or `CommandRefused` when the driver has no
   * room for another.
   */
  readonly add: (options: CounterOptions) => Effect.Effect<Counter, TransportError, Scope.Scope>
  /**
   * Finds a static counter, or adds it. It stays when the scope ends, and when its programs have, as long as the driver
   * runs. Fails with `CommandRefused` when a counter that is not static has its type and registration id.
   */
  readonly addStatic: (options: StaticCounterOptions) => Effect.Effect<Counter, TransportError, Scope.Scope>
  /**
   * Counters that clients add and remove, from when the stream is run; the heartbeats of the clients themselves are among
   * them. For one that does not keep up 256 wait, and what comes then is left out. It ends with the client.
   */
  readonly events: Stream.Stream<CounterEvent, TransportError>
}

/**
 * The counters of the driver that the client is connected to.
 *
 * **Example** (Counting orders where every tool sees it)
 *
 * ```ts
 * import { Counters } from "@millrace/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const counters = yield* Counters.Counters
 *   const orders = yield* counters.add({ typeId: 1001, label: "orders taken" })
 *   yield* orders.add(1n)
 * }).pipe(Effect.scoped, Effect.provide(Counters.layer))
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Counters extends Context.Service<Counters, CountersService>()("@millrace/transport/Counters") {}

const WATCH_INTERVAL = Duration.seconds(1)

/**
 * The counters of the client's driver.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Counters, never, Client> = Layer.effect(
  Counters,
  Effect.map(Client, (client): CountersService => ({
    list: client.counters,
    find: (typeId, registrationId) =>
      Effect.map(client.counters, (records) =>
        records.filter(
          (record) =>
            record.typeId === typeId && (registrationId === undefined || record.registrationId === registrationId)
        )
      ),
    watch: (interval = WATCH_INTERVAL) => Stream.fromEffectSchedule(client.counters, Schedule.spaced(interval)),
    add: client.addCounter,
    addStatic: client.addStaticCounter,
    events: client.counterEvents
  }))
)
