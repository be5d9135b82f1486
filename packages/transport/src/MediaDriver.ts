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
import { defaultDirectory } from "./internal/defaultDirectory.ts"
import * as driverLayer from "./internal/driverLayer.ts"
import * as driverTermination from "./internal/driverTermination.ts"
import * as MediaDriverConfig from "./MediaDriverConfig.ts"
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
 * It runs in one worker thread, so that synchronous user code cannot stall other processes; `threading: "invoker"` keeps
 * it on the caller's event loop. Terms are 4 MiB long, or shorter where the directory is small: four streams always fit.
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
 * Runs a driver until a client terminates it: the whole of a stand-alone driver process.
 *
 * @category running
 * @since 0.1.0
 */
export const run = (options: MediaDriverConfig.MediaDriverOptions = {}): Effect.Effect<void, TransportError> =>
  Effect.scoped(Effect.flatMap(driverLayer.makeStandalone(options), (driver) => driver.awaitTermination))

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
