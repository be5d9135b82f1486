/** What the demo found out, and how it is shown: to a reader, or as one JSON object. */
import * as Invocation from "../output/Invocation.ts"
import * as Plot from "../output/Plot.ts"
import { bytes, duration, grouped, plural } from "../output/Quantity.ts"
import type { Style } from "../output/Style.ts"
import * as Table from "../output/Table.ts"
import type { Columns } from "./Columns.ts"
import type { Group } from "./GroupStatistics.ts"

export interface Rate {
  readonly messagesPerSecond: number
  readonly bytesPerSecond: number
}

export interface Summary {
  readonly label: string
  readonly topic: string
  readonly columns: Columns
  readonly records: number
  readonly verified: number
  readonly elapsedMs: number
  readonly transport: Rate
  readonly store: Rate & { readonly files: number; readonly fileBytes: number; readonly logPosition: number }
  readonly queueCount: number
  readonly readBack: Rate
  readonly groups: ReadonlyArray<Group>
  readonly groupCount: number
  /** Records of groups beyond the limit of the table's memory. */
  readonly ungrouped: number
  readonly tag: { readonly name: string; readonly count: number; readonly elapsedMs: number } | undefined
  /** Peak of anonymous memory by process. */
  readonly memory: ReadonlyArray<readonly [role: string, bytes: number]>
  /** The directory that was asked for, which is kept. */
  readonly directory: string | undefined
}

/** The object of `--json`. */
export const toJson = (summary: Summary): unknown => {
  const { groups, records, store, transport, verified } = summary
  const { bytesPerSecond, files, messagesPerSecond } = store
  return {
    records,
    verified,
    transport,
    store: { messagesPerSecond, bytesPerSecond, files },
    topOrigins: groups.map(({ name, count, mean }) => ({ origin: name, count, meanDelay: rounded(mean) }))
  }
}

const rounded = (mean: number | undefined): number | null => (mean === undefined ? null : Math.round(mean * 100) / 100)

const LABEL_WIDTH = 11

/** The lines for a reader whose screen is `width` columns wide. */
export const toLines = (summary: Summary, style: Style, width: number): ReadonlyArray<string> => [
  "",
  verdict(summary, style),
  "",
  ...figures(summary, style, width),
  "",
  ...busiest(summary, style, width),
  ...oneTag(summary, style),
  ...next(summary, style)
]

const verdict = ({ queueCount, records, verified }: Summary, { good, strong }: Style): string =>
  `${good("✓")} ${strong(`${grouped(verified)} of ${grouped(records)} records`)} came back equal and in order from ${plural(queueCount, "queue")}`

const rateOf = ({ bytesPerSecond, messagesPerSecond }: Rate): string =>
  `${grouped(messagesPerSecond).padStart(9)} messages/s ${bytes(bytesPerSecond).padStart(8)}/s`

const figures = (summary: Summary, { faint, strong }: Style, width: number): ReadonlyArray<string> => {
  const { memory, readBack, store, transport } = summary
  const line = (label: string, text: string, note = "") => {
    const isTooWide = 2 + LABEL_WIDTH + text.length + 2 + note.length > width
    return `  ${strong(label.padEnd(LABEL_WIDTH))}${text}${isTooWide ? "" : `  ${faint(note)}`}`.trimEnd()
  }
  return [
    line("transport", rateOf(transport), "from first to last record"),
    line("store", rateOf(store), "time inside the store"),
    line("read back", rateOf(readBack), "checked against the source"),
    line(
      "written",
      `log position ${grouped(store.logPosition)}, ${plural(store.files, "file")}, ${bytes(store.fileBytes)} on disk`
    ),
    line("memory", memory.map(([role, peak]) => `${role} ${bytes(peak)}`).join(", "), "peak, without mapped files"),
    line("time", duration(summary.elapsedMs))
  ]
}

const busiest = (summary: Summary, style: Style, width: number): ReadonlyArray<string> => {
  const { columns, groupCount, groups, ungrouped } = summary
  const largest = groups[0]?.count ?? 0
  const barWidth = Math.max(10, Math.min(40, width - 40))
  const rows = groups.map(({ name, count, mean }) => [
    name,
    grouped(count),
    mean === undefined ? "" : mean.toFixed(1),
    style.accent(Plot.bar(count, largest, barWidth))
  ])
  const titles: ReadonlyArray<Table.Column> = [
    { title: columns.key },
    { title: "records", align: "right" },
    { title: columns.measure === undefined ? "" : `mean ${columns.measure}`, align: "right" },
    { title: "" }
  ]
  const rest = ungrouped === 0 ? "" : `; ${grouped(ungrouped)} records of others were not grouped`
  return [
    style.strong(`  Busiest of ${grouped(groupCount)} values of ${columns.key}`) + style.faint(rest),
    ...Table.lines(titles, rows, style.faint).map((line) => `  ${line}`),
    ""
  ]
}

const oneTag = ({ tag, topic }: Summary, { strong }: Style): ReadonlyArray<string> =>
  tag === undefined
    ? []
    : [
        `  Tag ${strong(tag.name)} alone: ${plural(tag.count, "record")} of topic ${topic}, read in ${duration(tag.elapsedMs)}`,
        ""
      ]

const next = ({ directory, tag, topic }: Summary, { faint, strong }: Style): ReadonlyArray<string> => {
  if (directory === undefined) {
    return [faint("  The store was in a temporary directory, which is gone. Keep it with --dir DIR and look inside.")]
  }
  const command = (words: string) => `    ${Invocation.current()} ${words}`
  const store = Invocation.quoted(directory)
  const name = Invocation.quoted(topic)
  const filter = tag === undefined ? `--topic ${name} --json` : `--topic ${name} --tag ${Invocation.quoted(tag.name)}`
  return [
    strong("  What to type next"),
    command(`store topics ${store}`),
    command(`store tail ${store} --topic ${name} --count 5`),
    command(`store tail ${store} ${filter}`)
  ]
}
