/** Registers series in the registry of metrics that read the figures of a store when they are asked. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import type { MessageStore, StoreFigures } from "../MessageStore.ts"

type Store = MessageStore["Service"]
type Read = (figures: StoreFigures) => number

const COUNTS: Readonly<Record<string, readonly [Read, string]>> = {
  rocketmq_messages_in_total: [(figures) => figures.putMessageCount, "Messages put"],
  rocketmq_throughput_in_total: [(figures) => figures.putBytes, "Bytes that puts have added to the log"],
  rocketmq_messages_out_total: [(figures) => figures.getMessageCount, "Messages read"],
  rocketmq_throughput_out_total: [(figures) => figures.getBytes, "Bytes of the records of messages read"]
}

const GAUGES: Readonly<Record<string, readonly [Read, string]>> = {
  rocketmq_storage_dispatch_behind_bytes: [(figures) => figures.dispatchBehindBytes, "Bytes not dispatched yet"],
  rocketmq_storage_flush_behind_bytes: [(figures) => figures.dirtyBytes, "Bytes not on the device yet"],
  rocketmq_storage_commit_behind_bytes: [
    ({ committedPosition, maxPosition }) => maxPosition - committedPosition,
    "Bytes still in the transient pool"
  ],
  rocketmq_storage_size: [({ fileCount, fileLength }) => fileCount * fileLength, "Bytes of the files of the log"],
  rocketmq_storage_disk_free_bytes: [({ disk }) => disk.freeBytes, "Room on the device of the log"],
  rocketmq_storage_disk_total_bytes: [({ disk }) => disk.totalBytes, "Size of the device of the log"],
  rocketmq_storage_writeable: [({ isWriteable }) => (isWriteable ? 1 : 0), "1 while messages are taken"],
  rocketmq_storage_unmapped_files: [(figures) => figures.unmappedFileCount, "Files read and written by position"],
  rocketmq_storage_unlocked_files: [(figures) => figures.unlockedFileCount, "Files whose memory could not be kept"],
  rocketmq_waiting_readers: [(figures) => figures.waitingReaderCount, "Readers that wait for a message"]
}

/** What a put can be refused with. */
const REFUSALS = [
  "MessageIllegal",
  "PropertiesTooLong",
  "OutOfSpace",
  "PoolExhausted",
  "FileFailed",
  "FlushFailed",
  "NotWriteable"
] as const

const IGNORED = { update: () => {}, modify: () => {} }

const counter = (
  context: Context.Context<never>,
  name: string,
  description: string,
  attributes: Record<string, string>,
  read: () => number
): Metric.Registration =>
  Metric.registerUnsafe(Metric.counter(name, { description, attributes, incremental: true }), context, {
    ...IGNORED,
    get: () => ({ count: read(), incremental: true })
  })

const gauge = (
  context: Context.Context<never>,
  name: string,
  description: string,
  attributes: Record<string, string>,
  read: () => number
): Metric.Registration =>
  Metric.registerUnsafe(Metric.gauge(name, { description, attributes }), context, {
    ...IGNORED,
    get: () => ({ value: read() })
  })

/** Classes of a histogram count what is at or below their bound. */
const histogramOf = ({ flushTimes }: StoreFigures): Metric.HistogramState => {
  const { boundsMs, count, counts, maxMs, minMs, sumMs } = flushTimes
  let below = 0
  const buckets = boundsMs.map((bound, index): [number, number] => [bound, (below += counts[index]!)])
  return { buckets, count, min: minMs, max: maxMs, sum: sumMs }
}

const registerAll = (store: Store, context: Context.Context<never>): ReadonlyArray<Metric.Registration> => {
  const attributes = { directory: store.directory }
  const figures = () => store.figuresUnsafe()
  return [
    ...Object.entries(COUNTS).map(([name, [read, description]]) =>
      counter(context, name, description, attributes, () => read(figures()))
    ),
    ...REFUSALS.map((reason) =>
      counter(
        context,
        "rocketmq_put_refusals_total",
        "Calls that were refused",
        { ...attributes, reason },
        () => figures().refusalCounts.get(reason) ?? 0
      )
    ),
    ...Object.entries(GAUGES).map(([name, [read, description]]) =>
      gauge(context, name, description, attributes, () => read(figures()))
    ),
    Metric.registerUnsafe(
      Metric.histogram("rocketmq_storage_flush_latency", {
        description: "Milliseconds of a sync",
        attributes,
        boundaries: figures().flushTimes.boundsMs
      }),
      context,
      { ...IGNORED, get: () => histogramOf(figures()) }
    )
  ]
}

export const register = (store: Store): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => registerAll(store, context)),
        (registrations) => Effect.sync(() => registrations.forEach(({ remove }) => remove()))
      )
    )
  )
