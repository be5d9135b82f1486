/** Our store and the real one take turns on the same directories, for each version of RocketMQ. */
import { join } from "node:path"
import { mkdirSync } from "node:fs"
import type { Context, Part } from "../Part.ts"
import * as Beside from "./Beside.ts"
import * as Commands from "./Commands.ts"
import * as JavaBuild from "./JavaBuild.ts"
import * as Locks from "./Locks.ts"
import * as Peers from "./Peers.ts"
import * as PowerLoss from "./PowerLoss.ts"
import * as Repairs from "./Repairs.ts"
import * as Rounds from "./Rounds.ts"
import * as Scenarios from "./Scenarios.ts"
import * as Twins from "./Twins.ts"

/** The newest, the one that the formats were read from, and the last of the old ones. */
const VERSIONS = ["5.3.3", "5.5.1", "4.9.8"]

/** What can be run alone. */
const SECTIONS = ["repair", "commands", "batches", "extended", "power"]

const DAMAGES = [
  ["ours", "last record torn", "kill"],
  ["real", "last record torn", "kill"],
  ["ours", "only the log left", "kill"],
  ["real", "only the log left", "kill"],
  ["ours", "queues removed", "close"],
  ["real", "queues removed", "close"],
  // Only ours makes these again.
  ["real", "one queue removed", "close"],
  ["real", "index removed", "close"]
] as const

const run = async (context: Context): Promise<void> => {
  const home = join(context.scratch, "home")
  mkdirSync(home, { recursive: true })
  const versions = VERSIONS.map((version) => ({ ...context, version, java: JavaBuild.commandOf(version, home) }))
  const sections = context.sections.filter((section) => section !== "power")
  if (sections.length > 0 || context.sections.length === 0) {
    await Promise.all(
      versions.map((options) =>
        context.report.attempt(`rocketmq ${options.version}`, () => runVersion({ ...options, sections }))
      )
    )
  }
  if (sections.length < context.sections.length || context.sections.length === 0) {
    const newer = versions.filter(({ version }) => !version.startsWith("4."))
    await context.report.attempt("rocketmq power", () => PowerLoss.run(context, newer))
  }
}

const runVersion = async (options: Peers.VersionOptions): Promise<void> => {
  const peers = new Peers.Peers(options)
  const isNewest = options.version === VERSIONS[0]
  const all: ReadonlyArray<Lane> = [
    { rounds: () => Rounds.run(options, peers) },
    {
      locks: () => Locks.run(options, peers),
      reverse: () => Scenarios.reverse(options, peers),
      synchronous: () => Scenarios.synchronous(options, peers),
      directories: () => Scenarios.directories(options, peers),
      ...(options.version.startsWith("4.") ? {} : { "light queues": () => Scenarios.lightQueues(options, peers) }),
      ...innerBatches(options, peers),
      ...extended(options, peers),
      "twins of ours": () => Twins.run(options, peers, "ours"),
      "twins of the real one": () => Twins.run(options, peers, "real"),
      beside: () => Beside.run(options, peers),
      ...repairs(options, peers),
      // Each command is a process of its own: one version is enough for the shorter form.
      ...(options.isLong || isNewest ? { commands: () => Commands.run(options, peers) } : {}),
      // Files of full length are asked of every version only in the longer form.
      ...(options.isLong || isNewest ? { defaults: () => Scenarios.defaults(options, peers) } : {})
    },
    Object.fromEntries(
      DAMAGES.map(([side, damage, end]) => [
        `${side}, ${damage}`,
        () => Scenarios.damaged(options, peers, side, damage, end)
      ])
    )
  ]
  const named: Readonly<Record<string, Lane>> = {
    repair: repairs(options, peers),
    commands: { commands: () => Commands.run(options, peers) },
    batches: innerBatches(options, peers),
    extended: extended(options, peers)
  }
  const lanes = options.sections.length === 0 ? all : options.sections.map((section) => named[section]!)
  try {
    await Promise.all(lanes.map((lane) => runLane(options, lane)))
  } finally {
    await peers.stop()
  }
}

const repairs = (options: Peers.VersionOptions, peers: Peers.Peers): Lane => ({
  "repair of ours": () => Repairs.run(options, peers, "ours", "record damaged", "keep"),
  "repair of the real one": () => Repairs.run(options, peers, "real", "record damaged", "keep"),
  "repair by a cut": () => Repairs.run(options, peers, "real", "record damaged", "cut"),
  "repair of a missing file": () => Repairs.run(options, peers, "ours", "file missing", "keep"),
  "repair of a missing file by a cut": () => Repairs.run(options, peers, "real", "file missing", "cut"),
  "repair of a short file": () => Repairs.run(options, peers, "real", "file too short", "keep")
})

/** Versions before 5.0 know none. */
const innerBatches = (options: Peers.VersionOptions, peers: Peers.Peers): Lane =>
  options.version.startsWith("4.")
    ? {}
    : {
        "inner batches of ours": () => Scenarios.innerBatches(options, peers, "ours"),
        "inner batches of the real one": () => Scenarios.innerBatches(options, peers, "real")
      }

const extended = (options: Peers.VersionOptions, peers: Peers.Peers): Lane => ({
  "extended queues of ours": () => Scenarios.extended(options, peers, "ours"),
  "extended queues of the real one": () => Scenarios.extended(options, peers, "real")
})

/** Scenarios by name, one after the other. Lanes run beside each other: a real store that closes mostly sleeps. */
type Lane = Readonly<Record<string, () => Promise<void>>>

const runLane = async ({ report, version }: Peers.VersionOptions, lane: Lane): Promise<void> => {
  for (const [name, scenario] of Object.entries(lane)) {
    await report.attempt(`rocketmq ${version} ${name}`, scenario)
  }
}

const part: Part = { name: "rocketmq", sections: SECTIONS, run }

export default part
