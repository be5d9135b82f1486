/**
 * The media driver: the service that moves messages between the processes of a machine and, through UDP, between
 * machines. Clients talk to it through files in its directory, in Aeron's format, so programs in any language may share
 * one driver.
 *
 * @since 0.1.0
 */
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { defaultDirectory } from "./internal/defaultDirectory.ts"
import * as driverLayer from "./internal/driverLayer.ts"
import * as driverTermination from "./internal/driverTermination.ts"
import * as simulatedLayer from "./internal/simulatedLayer.ts"
import type { SimulatedHost } from "./internal/simulatedWorld.ts"
import * as MediaDriverConfig from "./MediaDriverConfig.ts"
import { Simulation } from "./Simulation.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * A driver that runs in this process.
 *
 * @category models
 * @since 0.1.0
 */
export interface MediaDriverService {
  /** Where clients find it. */
  readonly directory: string
  /** Succeeds when a client has terminated the driver; fails when its worker died. */
  readonly awaitTermination: Effect.Effect<void, TransportError>
  /** Ends a park of the driver, so that it sees at once what was put into shared memory. */
  readonly wakeUnsafe: () => void
}

/**
 * Where clients look for their driver. A driver of this process is woken by them; one of another process looks by
 * itself, within 50 ms at most.
 *
 * @category models
 * @since 0.1.0
 */
export interface DriverLocation {
  readonly directory: string
  readonly wakeUnsafe: () => void
  /** The machine of a simulated driver, which has no files. */
  readonly simulated?: SimulatedHost
}

/**
 * The driver that clients use. By default the one that other programs of this user use too: `/dev/shm/aeron-<user>`.
 * The layers of `MediaDriver` set it.
 *
 * @category references
 * @since 0.1.0
 */
export const CurrentDriver = Context.Reference<DriverLocation>("@millrace/transport/MediaDriver/CurrentDriver", {
  defaultValue: () => ({ directory: defaultDirectory(), wakeUnsafe: () => {} })
})

/**
 * The service of a driver that runs in this process.
 *
 * @category services
 * @since 0.1.0
 */
export class MediaDriver extends Context.Service<MediaDriver, MediaDriverService>()(
  "@millrace/transport/MediaDriver"
) {}

const layerOf = <E, R>(make: Effect.Effect<MediaDriverService, E, R>) =>
  Layer.effectContext(
    Effect.map(make, (driver) =>
      Context.make(MediaDriver, driver).pipe(Context.add(CurrentDriver, driverLayer.locationOf(driver)))
    )
  )

/**
 * Starts a driver in the directory that all programs of this user share, or in another that is named.
 *
 * **Details**
 *
 * Fails with `DriverActive`, which names the process, when a driver is active there. The directory of one that died is
 * taken over. It is kept at the end unless `dirDeleteOnShutdown` is set.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: MediaDriverConfig.MediaDriverOptions = {}): Layer.Layer<MediaDriver, TransportError> =>
  layerOf(driverLayer.makeStandalone(options))

/**
 * As `layer`, with options from the environment: `clientLivenessTimeout`, `directory`, … by the names of
 * `MediaDriverConfig.settings`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<MediaDriver, TransportError | Config.ConfigError> = layerOf(
  Effect.flatMap(
    Effect.suspend(() => MediaDriverConfig.config),
    driverLayer.makeStandalone
  )
)

/**
 * Starts a driver for this program and its children, in a directory of its own that goes with it.
 *
 * **Details**
 *
 * It runs in a worker thread, so that synchronous user code cannot stall other processes; `threading` gives its agents
 * threads of their own, or keeps them on the caller's event loop. Terms are 4 MiB long, or shorter where the directory is small: four streams always fit.
 * At its end it waits up to `publicationLingerTimeout` until subscribers have read what was published over IPC, and
 * receivers have what was published over UDP; its timers run each 100 ms for that, unless told otherwise.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerEmbedded = (
  options: MediaDriverConfig.MediaDriverOptions = {}
): Layer.Layer<MediaDriver, TransportError> => layerOf(driverLayer.makeEmbedded(options))

/**
 * Starts a driver on a machine of a `Simulation`, whose memory, network and time are simulated.
 *
 * **Details**
 *
 * Machines are told apart by their names, which are also the host names of channels: `endpoint=receiver:40123` is a
 * subscription on the host `receiver`. On its own machine a driver is also at `localhost`. Terms are 64 KiB long unless
 * told otherwise, so that streams come around soon. See `Simulation.run` for an example.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerSimulated = (
  options: MediaDriverConfig.MediaDriverOptions & {
    /** Default `localhost`. */
    readonly host?: string
  } = {}
): Layer.Layer<MediaDriver, TransportError, Simulation> =>
  Layer.effectContext(
    Effect.flatMap(Simulation, (simulation) => simulatedLayer.make(simulation, options)).pipe(
      Effect.map(({ driver, location }) => Context.make(MediaDriver, driver).pipe(Context.add(CurrentDriver, location)))
    )
  )

/**
 * Runs a driver until a client terminates it: the whole of a stand-alone driver process.
 *
 * @category running
 * @since 0.1.0
 */
export const run = (options: MediaDriverConfig.MediaDriverOptions = {}): Effect.Effect<void, TransportError> =>
  Effect.scoped(Effect.flatMap(driverLayer.makeStandalone(options), (driver) => driver.awaitTermination))

/**
 * A driver that does nothing by itself: each call of `invokeUnsafe` is one of its duty cycles.
 *
 * @category models
 * @since 0.1.0
 */
export interface DriverInvoker {
  /** Where clients find it. */
  readonly directory: string
  /** One duty cycle of the conductor, the sender and the receiver. Returns how much was done; 0 = nothing to do now. */
  readonly invokeUnsafe: () => number
  /** Whether a client has terminated the driver: then `invokeUnsafe` does nothing any more. */
  readonly isTerminatedUnsafe: () => boolean
}

/**
 * Starts a driver whose duty cycles the caller drives, on its own loop and when it wants to: at least once in
 * `clientLivenessTimeout`, or its clients take it for dead.
 *
 * **When to use**
 *
 * When an application has a loop of its own, which must decide when the driver works. In all other cases a layer.
 *
 * **Example** (A duty cycle in each turn of the event loop)
 *
 * ```ts
 * import { MediaDriver } from "@millrace/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const driver = yield* MediaDriver.invoker({ directory: `/dev/shm/invoked-${process.pid}`, dirDeleteOnShutdown: true })
 *   for (let turn = 0; turn < 100; turn++) {
 *     driver.invokeUnsafe()
 *     yield* Effect.yieldNow
 *   }
 *   return driver.isTerminatedUnsafe()
 * }).pipe(Effect.scoped)
 *
 * Effect.runPromise(program) // => false
 * ```
 *
 * @category running
 * @since 0.1.0
 */
export const invoker = (
  options: Omit<MediaDriverConfig.MediaDriverOptions, "threading" | keyof MediaDriverConfig.IdleOptions> = {}
): Effect.Effect<DriverInvoker, TransportError, Scope.Scope> => driverLayer.makeInvoker(options)

/**
 * Asks the driver in a directory to end, by the command that every Aeron driver knows. It does so if it allows it
 * (`allowTermination`); no answer comes. False when there is no driver to ask.
 *
 * @category running
 * @since 0.1.0
 */
export const requestTermination = (options?: {
  /** Default: the directory that all programs of this user share. */
  readonly directory?: string
  /** For the driver's validator of terminations. Default: empty. */
  readonly token?: Uint8Array
}): Effect.Effect<boolean, TransportError> =>
  Effect.suspend(() =>
    driverTermination.request(options?.directory ?? defaultDirectory(), options?.token ?? new Uint8Array(0))
  )
