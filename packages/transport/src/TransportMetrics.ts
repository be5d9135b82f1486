/**
 * Every counter of a media driver as an Effect `Metric`, for whatever exports metrics. A value is read when it is asked
 * for: messages cost nothing more.
 *
 * **Details**
 *
 * Names are `aeron_` and what Aeron calls the counter: `aeron_bytes_sent`, `aeron_pub_pos`, `aeron_snd_naks_received`; the
 * stream is in the attributes `channel`, `stream_id`, `session_id` and `registration_id`. Counters of programs are
 * `aeron_counter` with `type_id` and `label`. Counts are counters, positions, limits, states and times are gauges.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Client } from "./Client.ts"
import * as counterMetrics from "./internal/counterMetrics.ts"

/**
 * How metrics follow the counters.
 *
 * @category models
 * @since 0.1.0
 */
export interface MetricsOptions {
  /** How often it is looked for counters that came or went. Default 1 second. */
  readonly refreshInterval?: Duration.Input
}

/**
 * Registers the counters of the client's driver with the metrics of this program, and takes them out with the scope.
 *
 * **Example** (Exporting the counters with everything else)
 *
 * ```ts
 * import { Client, MediaDriver, TransportMetrics } from "@millrace/transport"
 * import { Effect, Layer, Metric } from "effect"
 *
 * const layer = TransportMetrics.layer().pipe(
 *   Layer.provideMerge(Client.layer),
 *   Layer.provideMerge(MediaDriver.layerEmbedded())
 * )
 * const program = Effect.flatMap(Metric.snapshot, (metrics) =>
 *   Effect.log(metrics.filter(({ id }) => id.startsWith("aeron_")).length)
 * ).pipe(Effect.provide(layer))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: MetricsOptions = {}): Layer.Layer<never, never, Client> =>
  Layer.effectDiscard(Effect.flatMap(Client, (client) => counterMetrics.follow(client, options.refreshInterval)))
