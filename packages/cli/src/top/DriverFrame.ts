/** A driver as lines of text. */
import { bytes, duration, grouped, plural } from "../output/Quantity.ts"
import { sparkline } from "../output/Sparkline.ts"
import type { Style } from "../output/Style.ts"
import { printable } from "../output/Text.ts"
import type { ClientSample, DriverSample, LossSample, StreamSample } from "./DriverSample.ts"
import * as Facts from "./Facts.ts"
import * as Grid from "./Grid.ts"
import * as History from "./History.ts"
import type { Section } from "./Section.ts"
import type { Sort, View } from "./View.ts"

/** As long as Aeron's clients wait for a sign of life of the driver, and drivers for one of a client. */
const HEARTBEAT_AGE_MAX_MS = 10_000

const rate = (value: number | null): string => (value === null ? "–" : `${bytes(value)}/s`)
const timeOf = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace("T", " ")

const life = ({ heartbeatAgeMs }: DriverSample, style: Style): Facts.Fact => {
  if (heartbeatAgeMs === null) {
    return { text: "it has shut down", style: style.bad }
  }
  return heartbeatAgeMs > HEARTBEAT_AGE_MAX_MS
    ? { text: `no sign of life for ${duration(heartbeatAgeMs)}`, style: style.bad }
    : { text: `heartbeat ${duration(heartbeatAgeMs)} ago`, style: style.good }
}

/** Red while it happens, plain when it has happened. */
const counted = (name: string, total: number, now: number | undefined, style: Style): Facts.Fact => ({
  text: now !== undefined && now > 0 ? `${name} ${grouped(total)} (${grouped(now)}/s)` : `${name} ${grouped(total)}`,
  style: now !== undefined && now > 0 ? style.bad : undefined
})

const head = (sample: DriverSample, history: History.History, width: number, style: Style): ReadonlyArray<string> => {
  const { clients, cncVersion, directory, errorCount, lostBytes, pid, totals } = sample
  const rates = sample.rates ?? undefined
  const line = (key: string) => sparkline(history.get(key) ?? [], Grid.lineWidth(width))
  return [
    Facts.line(
      [
        { text: `driver ${printable(directory)}`, style: style.strong },
        { text: `pid ${pid}` },
        life(sample, style),
        { text: plural(clients.length, "client") },
        { text: `CnC ${cncVersion}` }
      ],
      width
    ),
    Facts.line(
      [
        { text: `  sent ${rate(rates?.bytesSent ?? null).padEnd(10)} ${line(History.SENT)}` },
        { text: `received ${rate(rates?.bytesReceived ?? null).padEnd(10)} ${line(History.RECEIVED)}` },
        { text: `mapped ${bytes(totals.bytesMapped)}` }
      ],
      width
    ),
    Facts.line(
      [
        counted("  back pressure", totals.backPressureEvents, rates?.backPressureEvents, style),
        counted("NAKs", totals.naksSent + totals.naksReceived, rates && rates.naksSent + rates.naksReceived, style),
        counted("resent", totals.retransmits, rates?.retransmits, style),
        { text: `lost ${bytes(lostBytes)}`, style: lostBytes > 0 ? style.bad : undefined },
        { text: `errors ${grouped(errorCount)}`, style: errorCount > 0 ? style.bad : undefined },
        counted("invalid", totals.invalidPackets, rates?.invalidPackets, style)
      ],
      width
    )
  ]
}

/** Every channel begins with the same word, and there is never room enough. */
const channelText = (channel: string): string => printable(channel.replace(/^aeron:/, ""))

const streamColumns = (
  history: History.History,
  lineWidth: number,
  style: Style
): ReadonlyArray<Grid.Column<StreamSample>> => [
  { title: "stream", width: 7, align: "right", cell: ({ streamId }) => String(streamId) },
  { title: "session", width: 11, align: "right", cell: ({ sessionId }) => String(sessionId) },
  { title: "rate", width: 10, align: "right", cell: ({ bytesPerSecond }) => rate(bytesPerSecond) },
  {
    title: "history",
    width: lineWidth,
    cell: (stream) => sparkline(history.get(History.streamKey(stream)) ?? [], lineWidth),
    style: () => style.accent
  },
  { title: "behind", width: 8, align: "right", cell: ({ behindBytes }) => bytes(behindBytes) },
  {
    title: "room",
    width: 8,
    align: "right",
    cell: ({ roomBytes }) => (roomBytes === null ? "–" : roomBytes === 0 ? "HELD" : bytes(roomBytes)),
    style: ({ roomBytes }) => (roomBytes === 0 ? style.bad : undefined)
  },
  {
    title: "position",
    width: 19,
    align: "right",
    fromWidth: 110,
    cell: ({ position }) => grouped(BigInt(position))
  },
  {
    title: "lost",
    width: 8,
    align: "right",
    fromWidth: 120,
    cell: ({ lostBytes }) => bytes(lostBytes),
    style: ({ lostBytes }) => (lostBytes > 0 ? style.bad : undefined)
  },
  { title: "subs", width: 4, align: "right", fromWidth: 100, cell: ({ subscribers }) => String(subscribers.length) },
  { title: "NAKs", width: 7, align: "right", fromWidth: 160, cell: ({ naks }) => grouped(naks) },
  {
    title: "held",
    width: 7,
    align: "right",
    fromWidth: 160,
    cell: ({ backPressureEvents }) => grouped(backPressureEvents)
  },
  { title: "channel", width: 20, cell: ({ channel }) => channelText(channel) }
]

const ORDERS: Readonly<Record<Sort, (a: StreamSample, b: StreamSample) => number>> = {
  rate: (a, b) => (b.bytesPerSecond ?? 0) - (a.bytesPerSecond ?? 0),
  behind: (a, b) => b.behindBytes - a.behindBytes,
  position: (a, b) => b.position - a.position,
  name: (a, b) => a.streamId - b.streamId || a.sessionId - b.sessionId
}

const clientColumns = (style: Style): ReadonlyArray<Grid.Column<ClientSample>> => [
  { title: "client", width: 20, align: "right", cell: ({ clientId }) => String(clientId) },
  {
    title: "heartbeat",
    width: 10,
    align: "right",
    cell: ({ heartbeatAgeMs }) => duration(heartbeatAgeMs),
    style: ({ heartbeatAgeMs }) => (heartbeatAgeMs > HEARTBEAT_AGE_MAX_MS ? style.bad : undefined)
  },
  { title: "label", width: 20, cell: ({ label }) => printable(label) }
]

const ERROR_COLUMNS: ReadonlyArray<Grid.Column<DriverSample["errors"][number]>> = [
  { title: "times", width: 7, align: "right", cell: ({ count }) => grouped(count) },
  { title: "last", width: 19, cell: ({ lastMs }) => timeOf(lastMs) },
  { title: "error", width: 20, cell: ({ text }) => printable(text.split("\n")[0]!) }
]

const LOSS_COLUMNS: ReadonlyArray<Grid.Column<LossSample>> = [
  { title: "times", width: 7, align: "right", cell: ({ observationCount }) => grouped(observationCount) },
  { title: "lost", width: 8, align: "right", cell: ({ lostBytes }) => bytes(lostBytes) },
  { title: "last", width: 19, cell: ({ lastMs }) => timeOf(lastMs) },
  { title: "stream", width: 7, align: "right", cell: ({ streamId }) => String(streamId) },
  { title: "source", width: 22, cell: ({ source }) => printable(source) },
  { title: "channel", width: 20, cell: ({ channel }) => channelText(channel) }
]

export const section = (
  sample: DriverSample,
  history: History.History,
  view: View,
  width: number,
  style: Style
): Section => {
  const table = <Row>(columns: ReadonlyArray<Grid.Column<Row>>, rows: ReadonlyArray<Row>, none: string): Section => {
    const [title, ...lines] = Grid.lines(columns, rows, width, style.faint)
    return { head: [...head(sample, history, width, style), title!], rows: lines, none }
  }
  switch (view.table) {
    case "streams": {
      const sorted = sample.streams.toSorted(ORDERS[view.sort])
      const rows = view.isReversed ? sorted.toReversed() : sorted
      return table(streamColumns(history, Grid.lineWidth(width), style), rows, "No stream is there.")
    }
    case "clients":
      return table(clientColumns(style), sample.clients, "No client is there.")
    case "errors":
      return table(ERROR_COLUMNS, sample.errors, "No error was recorded.")
    case "losses":
      return table(LOSS_COLUMNS, sample.losses, "Nothing was lost.")
  }
}
