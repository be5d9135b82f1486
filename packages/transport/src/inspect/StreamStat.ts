/**
 * Counters put together by the stream they belong to: what Aeron's StreamStat shows. A stream is a session, a stream id
 * and a channel; a publication and the subscribers of its channel come together where all three agree.
 */
import type { CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import * as StreamCounters from "../driver/StreamCounters.ts"

/** One counter of a stream. */
export interface StreamCounter {
  /** As the label begins: `pub-pos (concurrent)`, `snd-lmt`, … */
  readonly name: string
  readonly typeId: number
  /** Of the publication, the image or the subscription whose counter it is. */
  readonly registrationId: bigint
  readonly value: bigint
}

/** What the key of a stream's counter says. */
export interface StreamKey {
  readonly registrationId: bigint
  readonly sessionId: number
  readonly streamId: number
  /** The first 92 bytes of it: there is no room for more in a counter. */
  readonly channel: string
}

export interface StreamRow {
  readonly sessionId: number
  readonly streamId: number
  /** As a `StreamKey` has it. */
  readonly channel: string
  /** In the order of their ids. */
  readonly counters: ReadonlyArray<StreamCounter>
}

const STREAM_TYPE_IDS: ReadonlySet<number> = new Set([
  StreamCounters.PUBLISHER_LIMIT_TYPE_ID,
  StreamCounters.SENDER_POSITION_TYPE_ID,
  StreamCounters.RECEIVER_HWM_TYPE_ID,
  StreamCounters.SUBSCRIBER_POSITION_TYPE_ID,
  StreamCounters.RECEIVER_POSITION_TYPE_ID,
  StreamCounters.SENDER_LIMIT_TYPE_ID,
  StreamCounters.PER_IMAGE_TYPE_ID,
  StreamCounters.PUBLISHER_POSITION_TYPE_ID,
  StreamCounters.SENDER_BPE_TYPE_ID,
  StreamCounters.SENDER_NAKS_RECEIVED_TYPE_ID,
  StreamCounters.RECEIVER_NAKS_SENT_TYPE_ID
])

export const streamOf = ({ key, typeId }: CounterRecord): StreamKey | undefined =>
  STREAM_TYPE_IDS.has(typeId) ? StreamCounters.decodeStreamKey(key) : undefined

const nameOf = ({ label }: CounterRecord): string => {
  const end = label.indexOf(":")
  return end < 0 ? label : label.slice(0, end)
}

/** One row a stream, in the order in which the first counter of each was allocated. */
export const collect = (counters: Iterable<CounterRecord>): ReadonlyArray<StreamRow> => {
  const rows = new Map<string, Omit<StreamRow, "counters"> & { readonly counters: Array<StreamCounter> }>()
  for (const counter of counters) {
    const stream = streamOf(counter)
    if (stream !== undefined) {
      const { channel, registrationId, sessionId, streamId } = stream
      const key = `${sessionId} ${streamId} ${channel}`
      const row = rows.get(key) ?? { sessionId, streamId, channel, counters: [] }
      rows.set(key, row)
      row.counters.push({ name: nameOf(counter), typeId: counter.typeId, registrationId, value: counter.value })
    }
  }
  return [...rows.values()]
}
