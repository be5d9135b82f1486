/**
 * A client of a media driver: what publications and subscriptions are made with. One client serves a whole program.
 *
 * @since 0.1.0
 */
import type { IdleStrategy } from "@millrace/core/IdleStrategy"
import type { CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as clientLayer from "./internal/clientLayer.ts"
import type { ExclusivePublication } from "./ExclusivePublication.ts"
import type { Publication, PublicationOptions } from "./Publication.ts"
import type { Subscription, SubscriptionOptions } from "./Subscription.ts"
import type { TransportError } from "./TransportError.ts"

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
  /** Shown in the label of the client's heartbeat counter. Default: none. */
  readonly name?: string
  /** What the client's conductor does without work. Default `IdleStrategy.park()`. */
  readonly idle?: IdleStrategy
}

/**
 * What a client can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientService {
  /** The id by which the driver knows this client. */
  readonly clientId: bigint
  /** The directory of its driver. */
  readonly directory: string
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
 * Fails with `DriverNotFound` when no driver is there within the driver timeout.
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
