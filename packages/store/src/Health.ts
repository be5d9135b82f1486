/**
 * The health of a store as one report: whether it takes messages and if not why, how far dispatch and flush are behind,
 * and how much room its device has.
 *
 * **Example** (Asking before messages are taken in)
 *
 * ```ts
 * import { Health, MessageStore } from "@millrace/store"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const health = yield* Health.Health
 *   const { status } = yield* health.check
 *   return status
 * }).pipe(Effect.provide(Layer.provideMerge(Health.layer, MessageStore.layerMemory())))
 *
 * Effect.runPromise(program) // => "Healthy"
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { MessageStore } from "./MessageStore.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * What a device's fill leads to: nothing, expired files going at any hour, the oldest ones going whatever their age, or
 * messages being refused.
 *
 * @category models
 * @since 0.1.0
 */
export type DiskPressure = "none" | "reclaim" | "force" | "full"

/**
 * A report.
 *
 * @category models
 * @since 0.1.0
 */
export interface HealthReport {
  /** `Down` when only opening the store again can help; `Degraded` when anything is in `findings`. */
  readonly status: "Healthy" | "Degraded" | "Down"
  /** Each as a sentence. */
  readonly findings: ReadonlyArray<string>
  readonly store: { readonly directory: string; readonly isWriteable: boolean }
  /** What a put would be refused with now. */
  readonly refusal: StoreError | undefined
  /** The sync that failed. It ends the writing of this store: no later success would count. */
  readonly flushFailure: StoreError | undefined
  /** Why the last round of cleaning could not remove an old file or measure a device. */
  readonly cleaningFailure: StoreError | undefined
  /** Bytes of the log that are not in queues and index yet. */
  readonly dispatchBehindBytes: number
  /** Bytes of the log that are not on the device yet. */
  readonly dirtyBytes: number
  /** The device of the log; where there are several, the one under most pressure. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number; readonly pressure: DiskPressure }
}

/**
 * What can be asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface HealthService {
  /** Answers for a store that has failed or was closed as well. */
  readonly check: Effect.Effect<HealthReport>
  /** A report now and then every `interval`, 5 seconds by default. */
  readonly watch: (interval?: Duration.Input) => Stream.Stream<HealthReport>
}

/**
 * The health of a store.
 *
 * @category services
 * @since 0.1.0
 */
export class Health extends Context.Service<Health, HealthService>()("@millrace/store/Health") {}

const WATCH_INTERVAL = Duration.seconds(5)

/**
 * The health of the store that the program has open.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Health, never, MessageStore> = Layer.effect(
  Health,
  Effect.map(MessageStore, ({ health }): HealthService => ({
    check: health,
    watch: (interval = WATCH_INTERVAL) => Stream.fromEffectSchedule(health, Schedule.spaced(interval))
  }))
)
