/**
 * A client of a media driver: what publications and subscriptions are made with. One client serves a whole program.
 *
 * @since 0.1.0
 */
import type { IdleStrategy } from "@millrace/core/IdleStrategy"
import type { CounterRecord, CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as clientLayer from "./internal/clientLayer.ts"
import * as ClientConfig from "./ClientConfig.ts"
import type { Counter, CounterEvent, CounterOptions, StaticCounterOptions } from "./Counters.ts"
import type { HealthReport } from "./Health.ts"
import type { ExclusivePublication } from "./ExclusivePublication.ts"
import type { Publication, PublicationOptions } from "./Publication.ts"
import type { Subscription, SubscriptionOptions } from "./Subscription.ts"
import type { TransportError, TransportErrorReason } from "./TransportError.ts"

/**
 * Options of a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientOptions {
  /** The driver's directory. Default: that of `MediaDriver.CurrentDriver`. */
  readonly directory?: string
  /**
   * How long the driver may give no sign of life before it counts as dead, how long an answer may take, and how long to
   * wait for a driver that is just starting. Default 10 seconds.
   */
  readonly driverTimeout?: Duration.Input
  /** How often the client shows that it lives. Default 500 ms. */
  readonly keepaliveInterval?: Duration.Input
  /** How long a log that nobody uses stays mapped. Default 3 seconds. */
  readonly resourceLinger?: Duration.Input
  /** Shown in the label of the client's heartbeat counter, at most 100 characters. Default: none. */
  readonly clientName?: string
  /**
   * Whether a client that loses its driver, or that the driver forgot, goes on with the next one: publications,
   * subscriptions and counters are made anew there, and their streams and sinks go on. Default false: the client ends, and
   * everything of it fails with the reason.
   */
  readonly reconnect?: boolean
  /** How long such a client waits for a driver before it ends. Default: for ever. */
  readonly reconnectTimeout?: Duration.Input
  /** What the client's conductor does without work. Default `IdleStrategy.park()`. */
  readonly idle?: IdleStrategy
}

/**
 * What a publication had accepted when its driver was lost, and nobody is known to have: `bytes` of log behind the
 * slowest subscriber over IPC, or behind what the driver had sent over UDP. It is not published again.
 *
 * @category status
 * @since 0.1.0
 */
export interface Undrained {
  readonly channel: string
  readonly streamId: number
  readonly sessionId: number
  /** Behind everything that was accepted. */
  readonly position: number
  readonly bytes: number
}

/**
 * What the new driver refused to make anew: it fails with `reason` from then on.
 *
 * @category status
 * @since 0.1.0
 */
export interface Unrestored {
  readonly resource: string
  readonly reason: TransportErrorReason
}

/**
 * What a client is doing.
 *
 * - `Connected`: to the first driver.
 * - `Waiting`: for a driver, because of `reason`. `undrained` is what the driver that is gone took with it.
 * - `Reconnected`: after `waitedMs`, with a new id. All that could be is made anew; `unrestored` is what could not.
 * - `Closed`: its scope has ended.
 *
 * @category status
 * @since 0.1.0
 */
export type ClientStatus =
  | { readonly _tag: "Connected"; readonly clientId: bigint }
  | {
      readonly _tag: "Waiting"
      readonly reason: TransportErrorReason
      readonly undrained: ReadonlyArray<Undrained>
    }
  | {
      readonly _tag: "Reconnected"
      readonly clientId: bigint
      readonly reason: TransportErrorReason
      readonly waitedMs: number
      readonly undrained: ReadonlyArray<Undrained>
      readonly unrestored: ReadonlyArray<Unrestored>
    }
  | { readonly _tag: "Closed" }

/**
 * What a client can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientService {
  /** The id by which the driver knows this client; another one after each reconnection. */
  readonly clientId: bigint
  /** The directory of its driver. */
  readonly directory: string
  /**
   * What the client is doing now, then each change; `Closed` is the last. Fails with the reason when the client ends by
   * itself. One that does not keep up misses what was before the last 64 changes.
   *
   * **Example** (Saying when the driver is lost, and what was lost with it)
   *
   * ```ts
   * import { Client } from "@millrace/transport"
   * import { Console, Effect, Stream } from "effect"
   *
   * const report = Effect.flatMap(Client.Client, ({ status }) =>
   *   Stream.runForEach(status, (change) => {
   *     switch (change._tag) {
   *       case "Waiting":
   *         return Console.log(`${change.reason.message}; not delivered: ${JSON.stringify(change.undrained)}`)
   *       case "Reconnected":
   *         return Console.log(`going on after ${change.waitedMs} ms`)
   *       default:
   *         return Effect.void
   *     }
   *   })
   * )
   * ```
   */
  readonly status: Stream.Stream<ClientStatus, TransportError>
  /** Fails with the reason when the client ends by itself: its driver died, or forgot it. Never succeeds. */
  readonly awaitFailure: Effect.Effect<never, TransportError>
  /**
   * What goes wrong without a call that could fail with it, from when the stream is run: `PublicationRejected`,
   * `ChannelFailed`, and `Corrupt` for an image that was given up. For one that does not keep up 256 wait, and what comes
   * then is left out. Fails with the reason when the client ends by itself, and ends with its scope.
   */
  readonly errors: Stream.Stream<TransportError, TransportError>
  /** Adds a publication that others may share; see `Publication.make`. */
  readonly publication: (options: PublicationOptions) => Effect.Effect<Publication, TransportError, Scope.Scope>
  /** Adds a publication of one writer; see `ExclusivePublication.make`. */
  readonly exclusivePublication: (
    options: PublicationOptions
  ) => Effect.Effect<ExclusivePublication, TransportError, Scope.Scope>
  /** Adds a subscription; see `Subscription.make`. */
  readonly subscription: (options: SubscriptionOptions) => Effect.Effect<Subscription, TransportError, Scope.Scope>
  /** All counters of the driver as they are now. */
  readonly counters: Effect.Effect<ReadonlyArray<CounterRecord>, TransportError>
  /** The kernel: reads one counter at once. Throws when the driver is lost, and after the client's scope has ended. */
  readonly countersUnsafe: () => CountersReader
  /** Adds a counter for as long as the scope lasts; see `Counters.add`. */
  readonly addCounter: (options: CounterOptions) => Effect.Effect<Counter, TransportError, Scope.Scope>
  /** Adds a counter that stays, or finds it; see `Counters.addStatic`. */
  readonly addStaticCounter: (options: StaticCounterOptions) => Effect.Effect<Counter, TransportError, Scope.Scope>
  /** Counters of all clients that come and go; see `Counters.events`. */
  readonly counterEvents: Stream.Stream<CounterEvent, TransportError>
  /** A session id that no publication of this stream id has, and that the driver gives to nobody else. */
  readonly nextSessionId: (streamId: number) => Effect.Effect<number, TransportError>
  /** A number that the driver and its clients give to nothing else: for what a program wants to tell apart itself. */
  readonly nextCorrelationId: Effect.Effect<bigint, TransportError>
  /** Responses of the driver that this client does not know, since it connected: those of a newer Aeron. */
  readonly unknownResponseCount: Effect.Effect<number>
  /** The driver's error log, heartbeat and file system; see `Health`. */
  readonly health: Effect.Effect<HealthReport, TransportError>
}

/**
 * The service of a client.
 *
 * @category services
 * @since 0.1.0
 */
export class Client extends Context.Service<Client, ClientService>()("@millrace/transport/Client") {}

/**
 * Connects to the current driver with other options than the defaults.
 *
 * **Details**
 *
 * Fails with `DriverNotFound` when no driver is there within the driver timeout, also with `reconnect`: that is for a
 * driver that is lost.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWith = (options: ClientOptions): Layer.Layer<Client, TransportError> =>
  Layer.effect(Client, clientLayer.make(options))

/**
 * Connects to the current driver: the one that a layer of `MediaDriver` started, else the one that all programs of this
 * user share.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Client, TransportError> = layerWith({})

/**
 * As `layer`, with options from the environment: `driverTimeout`, `reconnect`, … by the names of `ClientConfig.settings`,
 * or else by Aeron's variables, such as `AERON_DIR`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<Client, TransportError | Config.ConfigError> = Layer.effect(
  Client,
  Effect.flatMap(
    Effect.suspend(() => ClientConfig.config),
    clientLayer.make
  )
)
