/**
 * The health of a media driver as one report: whether it lives, what it logged, who is held back, and how much room its
 * directory has.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Client } from "./Client.ts"
import type { RecordedError } from "./Inspector.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * A publication that has used up its window: it is accepted nothing until its subscribers go on.
 *
 * @category models
 * @since 0.1.0
 */
export interface HeldBack {
  readonly channel: string
  readonly streamId: number
  readonly sessionId: number
  readonly position: bigint
  /** Bytes that the slowest subscriber of this driver is behind; undefined when there is none. */
  readonly backlog: bigint | undefined
}

/**
 * A report.
 *
 * @category models
 * @since 0.1.0
 */
export interface HealthReport {
  /** `Down` without a driver; `Degraded` when anything is in `findings`. */
  readonly status: "Healthy" | "Degraded" | "Down"
  /** Each as a sentence. */
  readonly findings: ReadonlyArray<string>
  readonly driver: {
    readonly directory: string
    readonly pid: number
    readonly startMs: number
    /** Since its last sign of life; undefined when it has shut down. */
    readonly heartbeatAgeMs: number | undefined
  }
  /** The distinct errors that the driver has recorded, in the order in which they were first seen. */
  readonly errors: ReadonlyArray<RecordedError>
  readonly heldBack: ReadonlyArray<HeldBack>
  /** The file system of the directory. Below 160 MiB is a finding, as for Aeron's driver. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number }
}

/**
 * What can be asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface HealthService {
  /** Fails with the reason when the client has ended. While it waits for a driver the report says `Down`. */
  readonly check: Effect.Effect<HealthReport, TransportError>
  /** A report now and then every `interval`, 5 seconds by default. */
  readonly watch: (interval?: Duration.Input) => Stream.Stream<HealthReport, TransportError>
}

/**
 * The health of the driver that the client is connected to.
 *
 * @category services
 * @since 0.1.0
 */
export class Health extends Context.Service<Health, HealthService>()("@millrace/transport/Health") {}

const WATCH_INTERVAL = Duration.seconds(5)

/**
 * The health of the client's driver.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Health, never, Client> = Layer.effect(
  Health,
  Effect.map(Client, ({ health }): HealthService => ({
    check: health,
    watch: (interval = WATCH_INTERVAL) => Stream.fromEffectSchedule(health, Schedule.spaced(interval))
  }))
)
