/**
 * The figures of a store as Effect `Metric`s, for whatever exports metrics. A value is read when it is asked for:
 * messages cost nothing more.
 *
 * **Details**
 *
 * Names are RocketMQ's where it has one. All have the attribute `directory`. Counters go up from 0 when the store is
 * opened; rates are made by whoever reads them.
 *
 * | metric | kind | what |
 * | --- | --- | --- |
 * | `rocketmq_messages_in_total`, `rocketmq_throughput_in_total` | counter | messages put, and bytes by which the log grew |
 * | `rocketmq_messages_out_total`, `rocketmq_throughput_out_total` | counter | messages read by queue, and bytes |
 * | `rocketmq_put_refusals_total` | counter | calls refused, by the attribute `reason` |
 * | `rocketmq_storage_dispatch_behind_bytes` | gauge | of the log, not in queues and index yet |
 * | `rocketmq_storage_flush_behind_bytes` | gauge | of the log, not on the device yet |
 * | `rocketmq_storage_commit_behind_bytes` | gauge | of the log, still in the transient pool |
 * | `rocketmq_storage_flush_latency` | histogram | milliseconds of a sync |
 * | `rocketmq_storage_size` | gauge | bytes of the files of the log |
 * | `rocketmq_storage_disk_free_bytes`, `rocketmq_storage_disk_total_bytes` | gauge | of the device of the log |
 * | `rocketmq_storage_writeable` | gauge | 1 while the store takes messages |
 * | `rocketmq_storage_unmapped_files`, `rocketmq_storage_unlocked_files` | gauge | see `StoreStatus` |
 * | `rocketmq_waiting_readers` | gauge | readers that wait for a message |
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as storeMetrics from "./internal/storeMetrics.ts"
import { MessageStore } from "./MessageStore.ts"

/**
 * Registers the figures of the store with the metrics of this program, and takes them out with the scope.
 *
 * **Example** (Exporting the figures with everything else)
 *
 * ```ts
 * import { MessageStore, StoreMetrics } from "@millrace/store"
 * import { Effect, Layer, Metric } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* MessageStore.MessageStore
 *   yield* store.put({ topic: "trades", body: new Uint8Array(8) })
 *   const metrics = yield* Metric.snapshot
 *   return metrics.find(({ id }) => id === "rocketmq_messages_in_total")?.state
 * }).pipe(Effect.provide(Layer.provideMerge(StoreMetrics.layer, MessageStore.layerMemory())))
 *
 * Effect.runPromise(program) // => { count: 1, incremental: true }
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, never, MessageStore> = Layer.effectDiscard(
  Effect.flatMap(MessageStore, storeMetrics.register)
)
