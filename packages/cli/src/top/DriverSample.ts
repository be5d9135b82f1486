/** A driver at one moment, as plain data: what `top --json` prints and what the pictures are drawn from. */
import * as Inspector from "@millrace/transport/Inspector"
import { int64 } from "../output/Json.ts"
import { wholePerSecond } from "./Rate.ts"

export interface SubscriberSample {
  readonly registrationId: number | string
  readonly position: number
  readonly behindBytes: number
}

export interface StreamSample {
  readonly streamId: number
  readonly sessionId: number
  readonly channel: string
  /** Up to where it was published, or has arrived without a gap where it comes from the network. */
  readonly position: number
  readonly bytesPerSecond: number | null
  /** What the slowest of its subscribers has not consumed. */
  readonly behindBytes: number
  /** What its publisher may still publish; at 0 it is held back. Null where it comes from the network. */
  readonly roomBytes: number | null
  /** Published and not sent; null where no sender is. */
  readonly unsentBytes: number | null
  /** Arrived behind a gap; null where no receiver is. */
  readonly behindGapBytes: number | null
  readonly lostBytes: number
  readonly naks: number
  /** How often its sender had no window left. */
  readonly backPressureEvents: number
  readonly subscribers: ReadonlyArray<SubscriberSample>
}

export interface ClientSample {
  readonly clientId: number | string
  readonly heartbeatAgeMs: number
  readonly label: string
}

export interface LossSample {
  readonly streamId: number
  readonly sessionId: number
  readonly observationCount: number
  readonly lostBytes: number
  readonly lastMs: number
  readonly source: string
  readonly channel: string
}

export type DriverTotals = Readonly<Record<keyof Inspector.DriverTotals, number>>

export interface DriverSample {
  readonly directory: string
  readonly pid: number
  readonly cncVersion: string
  readonly startMs: number
  /** Null when it has shut down. */
  readonly heartbeatAgeMs: number | null
  readonly totals: DriverTotals
  /** The same a second; null in the first sample. */
  readonly rates: DriverTotals | null
  readonly lostBytes: number
  readonly streams: ReadonlyArray<StreamSample>
  readonly clients: ReadonlyArray<ClientSample>
  /** Distinct ones; the newest of them are in `errors`. */
  readonly errorCount: number
  readonly errors: ReadonlyArray<Inspector.RecordedError>
  readonly losses: ReadonlyArray<LossSample>
}

/** What is read of a driver's directory for one sample. */
export interface DriverReading {
  readonly status: Inspector.DriverStatus
  readonly counters: ReadonlyArray<Inspector.Counter>
  readonly streams: ReadonlyArray<Inspector.StreamCounters>
  readonly backlogs: ReadonlyArray<Inspector.StreamBacklog>
  readonly errors: ReadonlyArray<Inspector.RecordedError>
  readonly losses: ReadonlyArray<Inspector.Loss>
}

/** The newest errors and losses that a sample has. */
const LISTED_MAX = 32

const keyOf = ({ channel, sessionId, streamId }: Pick<StreamSample, "channel" | "sessionId" | "streamId">): string =>
  `${sessionId} ${streamId} ${channel}`

export const of = (
  reading: DriverReading,
  timeMs: number,
  elapsedMs: number,
  previous: DriverSample | undefined
): DriverSample => {
  const { backlogs, counters, errors, losses, status, streams } = reading
  const before = new Map(previous?.streams.map((stream) => [keyOf(stream), stream]))
  const totals = numbersOf(Inspector.totalsOf(counters))
  const lossSamples = losses.map(lossOf)
  return {
    directory: status.directory,
    pid: status.pid,
    cncVersion: status.cncVersion,
    startMs: status.startMs,
    heartbeatAgeMs: status.heartbeatAgeMs ?? null,
    totals,
    rates: previous === undefined ? null : ratesOf(totals, previous.totals, elapsedMs),
    lostBytes: lossSamples.reduce((sum, { lostBytes }) => sum + lostBytes, 0),
    streams: backlogs.map((backlog, index) =>
      streamOf(backlog, streams[index], lossSamples, (position) =>
        wholePerSecond(position, before.get(keyOf(backlog))?.position, elapsedMs)
      )
    ),
    clients: Inspector.clientsOf(counters).map(({ clientId, heartbeatMs, label }) => ({
      clientId: int64(clientId),
      heartbeatAgeMs: Math.max(0, timeMs - heartbeatMs),
      label
    })),
    errorCount: errors.length,
    errors: errors.toSorted((a, b) => b.lastMs - a.lastMs).slice(0, LISTED_MAX),
    losses: lossSamples.toSorted((a, b) => b.lastMs - a.lastMs).slice(0, LISTED_MAX)
  }
}

const numbersOf = (totals: Inspector.DriverTotals): DriverTotals => mapTotals(totals, (value) => Number(value))

const ratesOf = (totals: DriverTotals, before: DriverTotals, elapsedMs: number): DriverTotals =>
  mapTotals(totals, (value, name) => wholePerSecond(value, before[name], elapsedMs) ?? 0)

const mapTotals = <A>(
  totals: Readonly<Record<keyof DriverTotals, A>>,
  map: (value: A, name: keyof DriverTotals) => number
): DriverTotals =>
  Object.fromEntries(
    (Object.entries(totals) as Array<[keyof DriverTotals, A]>).map(([name, value]) => [name, map(value, name)])
  ) as unknown as DriverTotals

const lossOf = (loss: Inspector.Loss): LossSample => ({
  streamId: loss.streamId,
  sessionId: loss.sessionId,
  observationCount: Number(loss.observationCount),
  lostBytes: Number(loss.totalBytesLost),
  lastMs: loss.lastObservationMs,
  source: loss.source,
  channel: loss.channel
})

/** Differences of counters that move while they are read: what is less than nothing is nothing. */
const difference = (value: bigint): number => Math.max(0, Number(value))

const streamOf = (
  backlog: Inspector.StreamBacklog,
  counters: Inspector.StreamCounters | undefined,
  losses: ReadonlyArray<LossSample>,
  rateAt: (position: number) => number | null
): StreamSample => {
  const { channel, publisher, receiver, sender, sessionId, streamId } = backlog
  const count = (typeId: number): number =>
    (counters?.counters ?? [])
      .filter((counter) => counter.typeId === typeId)
      .reduce((sum, { value }) => sum + Number(value), 0)
  const subscribers = backlog.subscribers.map(({ backlog, position, registrationId }) => ({
    registrationId: int64(registrationId),
    position: Number(position),
    behindBytes: difference(backlog)
  }))
  const furthest = subscribers.reduce((highest, { position }) => Math.max(highest, position), 0)
  const { receiverNaksSent, senderBackPressure, senderNaksReceived } = Inspector.counterTypes
  const position = Number(publisher?.position ?? sender?.position ?? receiver?.position ?? furthest)
  return {
    streamId,
    sessionId,
    channel,
    position,
    bytesPerSecond: rateAt(position),
    behindBytes: subscribers.reduce((most, { behindBytes }) => Math.max(most, behindBytes), 0),
    roomBytes: publisher === undefined ? null : difference(publisher.remaining),
    unsentBytes: sender === undefined ? null : difference(sender.backlog),
    behindGapBytes: receiver === undefined ? null : difference(receiver.backlog),
    // The channel of a loss is whole, that of a counter is cut.
    lostBytes: losses
      .filter((loss) => loss.sessionId === sessionId && loss.streamId === streamId)
      .reduce((sum, { lostBytes }) => sum + lostBytes, 0),
    naks: count(senderNaksReceived) + count(receiverNaksSent),
    backPressureEvents: count(senderBackPressure),
    subscribers
  }
}
