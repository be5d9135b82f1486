/** Keeps one series in the registry of metrics for each counter that a driver has. */
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import type { CounterRecord, CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { ClientService } from "../Client.ts"
import {
  RECEIVER_NAKS_SENT_TYPE_ID,
  SENDER_BPE_TYPE_ID,
  SENDER_NAKS_RECEIVED_TYPE_ID
} from "../driver/StreamCounters.ts"
import * as SystemCounters from "../driver/SystemCounters.ts"
import * as StreamStat from "../inspect/StreamStat.ts"
import { attempt } from "./transportError.ts"

const REFRESH_INTERVAL = Duration.seconds(1)

/** Counters of programs; all others are Aeron's own, and have names. */
const USER_TYPE_ID_MIN = 1000

/** System counters that may go down, or that are no counts. */
const SYSTEM_GAUGES: ReadonlySet<number> = new Set([
  SystemCounters.CONTROLLABLE_IDLE_STRATEGY,
  SystemCounters.CONDUCTOR_MAX_CYCLE_TIME,
  SystemCounters.SENDER_MAX_CYCLE_TIME,
  SystemCounters.RECEIVER_MAX_CYCLE_TIME,
  SystemCounters.NAME_RESOLVER_MAX_TIME,
  SystemCounters.SOFTWARE_VERSION,
  SystemCounters.BYTES_CURRENTLY_MAPPED,
  SystemCounters.CONTROL_PROTOCOL_VERSION
])

const STREAM_COUNTS: ReadonlySet<number> = new Set([
  SENDER_BPE_TYPE_ID,
  SENDER_NAKS_RECEIVED_TYPE_ID,
  RECEIVER_NAKS_SENT_TYPE_ID
])

interface Series {
  readonly reader: CountersReader
  readonly registrationId: bigint
  readonly remove: () => void
}

const isCount = ({ id, typeId }: CounterRecord): boolean =>
  typeId === SystemCounters.TYPE_ID ? !SYSTEM_GAUGES.has(id) : STREAM_COUNTS.has(typeId)

/** `Bytes sent` → `aeron_bytes_sent`, `pub-pos (concurrent): 7 …` → `aeron_pub_pos`. */
const nameOf = ({ label, typeId }: CounterRecord): string => {
  if (typeId >= USER_TYPE_ID_MIN) {
    return "aeron_counter"
  }
  const name = /^[^:,(]*/.exec(label)![0].trim().toLowerCase()
  return `aeron_${name.replaceAll(/[^a-z0-9]+/g, "_")}`
}

const attributesOf = (record: CounterRecord): Record<string, string> => {
  const { id, label, registrationId, typeId } = record
  if (typeId === SystemCounters.TYPE_ID) {
    return {}
  }
  const stream = StreamStat.streamOf(record)
  const common = { counter_id: String(id), type_id: String(typeId), registration_id: String(registrationId) }
  return stream === undefined
    ? { ...common, label }
    : {
        ...common,
        channel: stream.channel,
        stream_id: String(stream.streamId),
        session_id: String(stream.sessionId)
      }
}

/** The last value that was there when the counter, or the memory that it lies in, is not any more. */
const valueOf = (reader: CountersReader, { id, registrationId, value }: CounterRecord): (() => number) => {
  let last = Number(value)
  return () => {
    if (!reader.metadata.state.isClosed && isStill(reader, id, registrationId)) {
      last = Number(reader.value(id))
    }
    return last
  }
}

const isStill = (reader: CountersReader, id: number, registrationId: bigint): boolean =>
  reader.state(id) === CountersDescriptor.RECORD_ALLOCATED && reader.registrationId(id) === registrationId

const register = (
  reader: CountersReader,
  record: CounterRecord,
  directory: string,
  context: Context.Context<never>
): Series => {
  const options = { description: record.label, attributes: { ...attributesOf(record), directory } }
  const read = valueOf(reader, record)
  const ignored = { update: () => {}, modify: () => {} }
  const registration = isCount(record)
    ? Metric.registerUnsafe(Metric.counter(nameOf(record), { ...options, incremental: true }), context, {
        ...ignored,
        get: () => ({ count: read(), incremental: true })
      })
    : Metric.registerUnsafe(Metric.gauge(nameOf(record), options), context, {
        ...ignored,
        get: () => ({ value: read() })
      })
  return { reader, registrationId: record.registrationId, remove: registration.remove }
}

/** Registers what is new and takes out what is gone. */
const refresh = (client: ClientService, series: Map<number, Series>, context: Context.Context<never>): void => {
  const reader = client.countersUnsafe()
  if (reader.metadata.state.isClosed) {
    return
  }
  for (const [id, known] of series) {
    if (known.reader !== reader || !isStill(reader, id, known.registrationId)) {
      known.remove()
      series.delete(id)
    }
  }
  for (let id = 0; id < reader.capacity && reader.state(id) !== CountersDescriptor.RECORD_UNUSED; id++) {
    const record = series.has(id) ? undefined : reader.read(id)
    if (record !== undefined) {
      series.set(id, register(reader, record, client.directory, context))
    }
  }
}

export const follow = (
  client: ClientService,
  interval: Duration.Input = REFRESH_INTERVAL
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const series = new Map<number, Series>()
    const follow = attempt(() => refresh(client, series, context)).pipe(
      Effect.catch((error) => Effect.logWarning(`millrace: counters cannot be read: ${error.message}`))
    )
    yield* Effect.acquireRelease(follow, () =>
      Effect.sync(() => {
        for (const { remove } of series.values()) {
          remove()
        }
      })
    )
    yield* Effect.forkScoped(Effect.repeat(follow, Schedule.spaced(interval)))
  })
