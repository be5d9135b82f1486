/**
 * Writes `docs/metrics.md` from what a driver with streams over both media and a store with messages register as metrics.
 *
 *     node scripts/docs/metrics.ts           writes the page
 *     node scripts/docs/metrics.ts --check   fails when the page in the tree is not what would be written
 */
import * as MessageStore from "../../packages/store/src/MessageStore.ts"
import * as StoreMetrics from "../../packages/store/src/StoreMetrics.ts"
import * as Client from "../../packages/transport/src/Client.ts"
import * as MediaDriver from "../../packages/transport/src/MediaDriver.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"
import * as TransportMetrics from "../../packages/transport/src/TransportMetrics.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Page from "./Page.ts"

const layer = Layer.mergeAll(TransportMetrics.layer({ refreshInterval: "50 millis" }), StoreMetrics.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Client.layer, MessageStore.layerMemory())),
  Layer.provideMerge(MediaDriver.layerEmbedded())
)

/** Counters of programs have names of their own kind, and are told of in words. */
const OF_PROGRAMS = "aeron_counter"

const registered = Effect.gen(function* () {
  for (const channel of ["aeron:ipc", "aeron:udp?endpoint=127.0.0.1:40789"]) {
    const subscription = yield* Subscription.make({ channel, streamId: 1001 })
    const publication = yield* Publication.make({ channel, streamId: 1001 })
    yield* subscription.isConnected.pipe(Effect.delay("10 millis"), Effect.repeat({ until: (connected) => connected }))
    yield* publication.publish(new Uint8Array(8))
  }
  const names = Effect.map(Metric.snapshot, (snapshot) => new Set(snapshot.map(({ id }) => id)))
  // Counters are found in rounds: the set is whole when the newest kind of stream has come.
  yield* names.pipe(Effect.delay("50 millis"), Effect.repeat({ until: (found) => found.has("aeron_rcv_pos") }))
  return yield* Metric.snapshot
}).pipe(Effect.scoped, Effect.provide(layer), Effect.timeout("30 seconds"))

const rowsOf = (snapshot: ReadonlyArray<Metric.Metric.Snapshot>, prefix: string): ReadonlyArray<string> => {
  const rows = snapshot
    .filter(({ id }) => id.startsWith(prefix) && id !== OF_PROGRAMS)
    .map(({ attributes, description = "", id, type }) => {
      // A counter's label begins with its name; versions, ids and channels follow.
      const what = prefix === "aeron_" ? description.split(/[:(]/)[0]!.trim() : description
      const labels = Object.keys(attributes ?? {}).toSorted()
      return Page.row([`\`${id}\``, type.toLowerCase(), what, labels.map((label) => `\`${label}\``).join(", ")])
    })
  return [...new Set(rows)].toSorted()
}

const page = (snapshot: ReadonlyArray<Metric.Metric.Snapshot>): string =>
  [
    "<!-- Written by `pnpm docs` from a running driver and a running store. -->",
    "",
    "# Metrics",
    "",
    "Both halves register with Effect's `Metric`, so whatever exports those (Prometheus, OTLP) exports these: see",
    "[examples/metrics.ts](../examples/metrics.ts). A value is read when it is scraped; messages cost nothing more.",
    "",
    "## Media driver and streams",
    "",
    "With `TransportMetrics.layer()`. They are the driver's counters: `aeron_` and what Aeron calls the counter. What a stream has of its",
    "own is there as long as the stream. Counters of programs are `aeron_counter`, with `type_id` and `label`.",
    "",
    ...Page.table(["metric", "kind", "Aeron's label", "attributes"], rowsOf(snapshot, "aeron_")),
    "",
    "## Message store",
    "",
    "With `StoreMetrics.layer`. Names are RocketMQ's where it has one.",
    "",
    ...Page.table(["metric", "kind", "what", "attributes"], rowsOf(snapshot, "rocketmq_")),
    ""
  ].join("\n")

Page.write("docs/metrics.md", page(await Effect.runPromise(registered)))
