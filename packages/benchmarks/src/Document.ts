/** `docs/benchmarks.md` and its plots, from what one run of `pnpm bench peers` has measured. Nothing else writes a figure there. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Plot from "./Plot.ts"
import { formatMachine, formatRatio, type Machine, scaled } from "./Report.ts"
import type { CaseResult, GroupResult } from "./Result.ts"

export interface Run {
  readonly machine: Machine
  /** Versions of what was measured, by its name. */
  readonly versions: Readonly<Record<string, string>>
  readonly groups: ReadonlyArray<GroupResult>
  /** How busy the machine was at the beginning: the mean of the last minute. */
  readonly load: number
  /** Whether it was the long form. */
  readonly isLarge: boolean
}

interface Chapter {
  readonly prefix: string
  readonly title: string
  readonly text: string
}

const CHAPTERS: ReadonlyArray<Chapter> = [
  {
    prefix: "peers/streams/",
    title: "Messages from one process to another",
    text: "From a publisher to a subscriber in another process (`worker-postMessage`: another thread; `effect-PubSub`: the same thread, references alone). Nothing is kept, and nothing is lost: each sender waits for its receiver by the means that it has."
  },
  {
    prefix: "peers/roundTrips",
    title: "Round trips",
    text: "One message to another process and back, then the next. Millrace and Aeron spin for it, the others wait in their event loops. The rate is that of the median."
  },
  {
    prefix: "peers/durable/",
    title: "Messages that are kept",
    text: "`from-memory`: an acknowledged message outlives the process; on the device it is half a second later (Millrace and RocketMQ, `ASYNC_FLUSH`), a second (Redis, `appendfsync everysec`) or at the next checkpoint (SQLite, `synchronous=NORMAL`); 32 messages a call. `on-disk`: an acknowledged message is on the device (`SYNC_FLUSH`, `appendfsync always`, `synchronous=FULL`); 64 calls wait at a time, each for one message (SQLite, which is synchronous, takes them one by one). `node-sqlite` is a table with an index in Node's own SQLite, `bullmq-redis` a queue of jobs. Each message has a key that it can be found by, but for BullMQ's. Ours and RocketMQ's rows end when queues and index have the messages too."
  },
  {
    prefix: "peers/growth/",
    title: "Growth",
    text: "What one message costs when there is more of everything else: `streams` (32 bytes over shared memory, each stream in its turn), `topics` (puts of 124 bytes, each into another topic), `message-bytes` (Sink to Stream), `producers` (each waits until its message is on the device), `log-megabytes` (reads at places far apart)."
  }
]

const fileOf = (name: string): string => `${name.replace(/^peers\//, "").replaceAll("/", "-")}.svg`

const isGrowth = (name: string): boolean => name.startsWith("peers/growth/")

const plotOf = (group: GroupResult): string =>
  isGrowth(group.name)
    ? Plot.curve(group, {
        title: `${group.name.split("/").at(-1)}: time of a message`,
        spreadOf: ({ nsPerOperation }) => nsPerOperation,
        format: (ns) => `${scaled(ns / 1e9)}s`
      })
    : Plot.bars(group, {
        title: `${group.name.replace(/^peers\//, "")}: messages a second`,
        spreadOf: ({ operationsPerSecond }) => operationsPerSecond,
        format: (rate) => `${scaled(rate)}/s`
      })

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const figuresOf = ({ figures }: CaseResult): string =>
  Object.entries(figures ?? {})
    .map(([name, { median }]) => `${name} ${Number(median.toPrecision(3))}`)
    .join(", ")

const tableOf = ({ cases, name }: GroupResult): string =>
  [
    row(["", "lowest", "median", "highest", "ratio [lowest, highest]", ""]),
    row(["---", "---:", "---:", "---:", "---", "---"]),
    ...cases.map((result) => {
      const { max, median, min } = result.operationsPerSecond
      const rates = [min, median, max].map((rate) => `${scaled(rate)}/s`)
      return row([result.name.slice(name.length + 1), ...rates, formatRatio(result), figuresOf(result)])
    })
  ].join("\n")

const chapterOf = ({ prefix, text, title }: Chapter, groups: ReadonlyArray<GroupResult>): ReadonlyArray<string> => [
  `## ${title}`,
  "",
  text,
  "",
  ...groups
    .filter(({ name }) => name.startsWith(prefix))
    .flatMap((group) => [`![${group.name}](./benchmarks/${fileOf(group.name)})`, "", tableOf(group), ""])
]

export const page = ({ groups, isLarge, load, machine, versions }: Run): string =>
  [
    "<!-- Written by `pnpm bench peers`. -->",
    "",
    "# Benchmarks",
    "",
    "Millrace beside Aeron's and RocketMQ's own Java programs, and beside what a Node program would take instead. All rows of a table were",
    "measured in one run, in turns (a b c, a b c, …), five runs each, after one that does not count. A ratio compares neighbours in time: it is the figure to",
    "quote, with its spread. Rates alone say more of the machine than of the program.",
    "",
    `- Machine: ${formatMachine(machine)}; load at the beginning ${load.toFixed(1)}.`,
    `- Versions: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`,
    `- Again on yours: ${isLarge ? "`BENCH_LARGE=1 pnpm bench peers`" : "`pnpm bench peers` (`BENCH_LARGE=1` for a log of 20 GB)"}, with Java, Maven and Redis where they are there.`,
    "",
    ...CHAPTERS.filter(({ prefix }) => groups.some(({ name }) => name.startsWith(prefix))).flatMap((chapter) =>
      chapterOf(chapter, groups)
    )
  ].join("\n")

/** Writes the page and its plots into `docs`; plots of groups that are gone go. */
export const write = (docs: string, run: Run): void => {
  const plots = join(docs, "benchmarks")
  rmSync(plots, { recursive: true, force: true })
  mkdirSync(plots, { recursive: true })
  for (const group of run.groups) {
    writeFileSync(join(plots, fileOf(group.name)), plotOf(group))
  }
  writeFileSync(join(docs, "benchmarks.md"), page(run))
}
