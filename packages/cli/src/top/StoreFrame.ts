/** A store as lines of text. */
import { bytes, duration, grouped, latency, plural } from "../output/Quantity.ts"
import { sparkline } from "../output/Sparkline.ts"
import type { Style } from "../output/Style.ts"
import { printable } from "../output/Text.ts"
import * as Facts from "./Facts.ts"
import * as Grid from "./Grid.ts"
import * as History from "./History.ts"
import type { Section } from "./Section.ts"
import type { GroupSample, StoreSample, TopicSample, WriterSample } from "./StoreSample.ts"
import type { Sort, View } from "./View.ts"

/** RocketMQ removes old files from here on, whatever their age. */
const DISK_USED_MAX = 0.85
/** Sixteen times what is dispatched in one turn: more is no longer a matter of turns. */
const DISPATCH_BEHIND_MAX = 64 * 1024 * 1024

const count = (value: number | null): string => (value === null ? "–" : grouped(value))
const behind = (ms: number | null): string => (ms === null ? "never" : `${duration(ms)} behind`)

/** Who has the store open. Where nobody says so, a file that was left tells no living process from a dead one. */
const holder = ({ isOpen, pid, writer }: StoreSample, style: Style): Facts.Fact => {
  if (!isOpen) {
    return { text: "closed", style: style.faint }
  }
  if (writer === null) {
    return { text: `open, or left open${pid === null ? "" : `, in process ${pid}`}`, style: style.accent }
  }
  return writer.isLive
    ? { text: `open in process ${writer.figures.pid}`, style: style.good }
    : {
        text: `left open by process ${writer.figures.pid}: no sign of life for ${duration(writer.heartbeatAgeMs)}`,
        style: style.bad
      }
}

/** Slower, and the device is what the program waits for. */
const SYNC_MS_MAX = 1000
/** Syncs that are older than this say nothing of now. */
const SYNC_AGE_MS_MAX = 60_000

const syncTimes = ({ lastSyncs, rates }: WriterSample, style: Style): ReadonlyArray<Facts.Fact> => {
  if (lastSyncs === null || lastSyncs.ageMs > SYNC_AGE_MS_MAX) {
    return [{ text: "  no sync of late", style: style.faint }]
  }
  const { maxMs, p50Ms, p99Ms } = lastSyncs
  return [
    { text: `  sync p50 ${latency(p50Ms)}` },
    { text: `p99 ${latency(p99Ms)}` },
    {
      text: `max ${latency(maxMs)}${rates === null ? "" : ` (${grouped(rates.syncs)}/s)`}`,
      style: maxMs > SYNC_MS_MAX ? style.bad : undefined
    }
  ]
}

/** What only the process itself knows. */
const writerLine = (writer: WriterSample, width: number, style: Style): string => {
  const { commitBehindBytes, dirtyBytes, isWriteable, rates, refusals, waitingReaders } = writer
  return Facts.line(
    [
      ...syncTimes(writer, style),
      { text: `unflushed ${bytes(dirtyBytes)}` },
      ...(isWriteable ? [] : [{ text: "REFUSES MESSAGES", style: style.bad }]),
      ...(commitBehindBytes > 0 ? [{ text: `in the pool ${bytes(commitBehindBytes)}` }] : []),
      { text: `read ${rates === null ? "–" : grouped(rates.getMessages)}/s` },
      { text: plural(waitingReaders, "waiting reader") },
      { text: `refused ${grouped(refusals)}`, style: refusals > 0 ? style.bad : undefined }
    ],
    width
  )
}

const head = (sample: StoreSample, history: History.History, width: number, style: Style): ReadonlyArray<string> => {
  const { bytesPerSecond, dispatchBehindBytes, flushBehindMs, freeBytes, totalBytes, writer } = sample
  const used = totalBytes > 0 ? 1 - freeBytes / totalBytes : 0
  const line = sparkline(history.get(History.PUT) ?? [], Grid.lineWidth(width))
  return [
    Facts.line(
      [
        { text: `store ${printable(sample.directory)}`, style: style.strong },
        holder(sample, style),
        { text: `${plural(sample.messages, "message")} in ${plural(sample.topics.length, "topic")}` }
      ],
      width
    ),
    Facts.line(
      [
        { text: `  put ${`${count(sample.messagesPerSecond)}/s`.padEnd(11)} ${line}` },
        { text: bytesPerSecond === null ? "–" : `${bytes(bytesPerSecond)}/s` },
        {
          text: `dispatch ${bytes(dispatchBehindBytes)} behind`,
          style: dispatchBehindBytes > DISPATCH_BEHIND_MAX ? style.bad : undefined
        }
      ],
      width
    ),
    ...(writer?.isLive === true ? [writerLine(writer, width, style)] : []),
    Facts.line(
      [
        {
          text: `  disk ${bytes(freeBytes)} of ${bytes(totalBytes)} free`,
          style: used > DISK_USED_MAX ? style.bad : undefined
        },
        { text: `flush ${behind(flushBehindMs)}` },
        { text: `log ${bytes(sample.maxPosition - sample.minPosition)} in ${plural(sample.logFiles, "file")}` },
        { text: `queues flushed ${behind(sample.queueFlushBehindMs)}` },
        { text: `index ${behind(sample.indexFlushBehindMs)}` }
      ],
      width
    )
  ]
}

/** Where the screen is narrow, names give way to figures. */
const TOPIC_WIDTH = 22
const TOPIC_WIDTH_NARROW = 14
const NARROW = 60

const topicColumns = (
  history: History.History,
  width: number,
  style: Style
): ReadonlyArray<Grid.Column<TopicSample>> => {
  const lineWidth = Grid.lineWidth(width)
  return [
    { title: "topic", width: width < NARROW ? TOPIC_WIDTH_NARROW : TOPIC_WIDTH, cell: ({ topic }) => printable(topic) },
    { title: "queues", width: 6, align: "right", cell: ({ queues }) => grouped(queues) },
    { title: "rate", width: 11, align: "right", cell: ({ messagesPerSecond }) => `${count(messagesPerSecond)}/s` },
    {
      title: "history",
      width: lineWidth,
      cell: ({ topic }) => sparkline(history.get(History.topicKey(topic)) ?? [], lineWidth),
      style: () => style.accent
    },
    { title: "messages", width: 13, align: "right", cell: ({ messages }) => grouped(messages) },
    { title: "end", width: 15, align: "right", fromWidth: 110, cell: ({ endOffset }) => grouped(endOffset) },
    { title: "lag", width: 10, align: "right", cell: ({ lag }) => count(lag) },
    { title: "", width: 0, cell: () => "" }
  ]
}

const TOPIC_ORDERS: Readonly<Record<Sort, (a: TopicSample, b: TopicSample) => number>> = {
  rate: (a, b) => (b.messagesPerSecond ?? 0) - (a.messagesPerSecond ?? 0),
  behind: (a, b) => (b.lag ?? 0) - (a.lag ?? 0),
  position: (a, b) => b.messages - a.messages,
  name: (a, b) => compare(a.topic, b.topic)
}

const GROUP_COLUMNS: ReadonlyArray<Grid.Column<GroupSample>> = [
  { title: "group", width: 24, cell: ({ group }) => printable(group) },
  { title: "rate", width: 11, align: "right", cell: ({ messagesPerSecond }) => `${count(messagesPerSecond)}/s` },
  { title: "lag", width: 13, align: "right", cell: ({ lag }) => grouped(lag) },
  { title: "queues", width: 6, align: "right", cell: ({ queues }) => grouped(queues) },
  { title: "topic", width: 20, cell: ({ topic }) => printable(topic) }
]

const GROUP_ORDERS: Readonly<Record<Sort, (a: GroupSample, b: GroupSample) => number>> = {
  rate: (a, b) => (b.messagesPerSecond ?? 0) - (a.messagesPerSecond ?? 0),
  behind: (a, b) => b.lag - a.lag,
  position: (a, b) => b.offset - a.offset,
  name: (a, b) => compare(a.group, b.group) || compare(a.topic, b.topic)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const section = (
  sample: StoreSample,
  history: History.History,
  view: View,
  width: number,
  style: Style
): Section => {
  const table = <Row>(
    columns: ReadonlyArray<Grid.Column<Row>>,
    rows: ReadonlyArray<Row>,
    order: (a: Row, b: Row) => number,
    none: string
  ): Section => {
    const sorted = rows.toSorted(order)
    const inOrder = view.isReversed ? sorted.toReversed() : sorted
    const [title, ...lines] = Grid.lines(columns, inOrder, width, style.faint)
    return { head: [...head(sample, history, width, style), title!], rows: lines, none }
  }
  return view.table === "clients"
    ? table(GROUP_COLUMNS, sample.groups, GROUP_ORDERS[view.sort], "No group of consumers has left an offset.")
    : table(topicColumns(history, width, style), sample.topics, TOPIC_ORDERS[view.sort], "The store has no topics.")
}
