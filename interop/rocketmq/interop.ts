/** Our store and the real one take turns on the same directories, for each version of RocketMQ. */
import { join } from "node:path"
import { mkdirSync } from "node:fs"
import type { Context, Part } from "../Part.ts"
import * as JavaBuild from "./JavaBuild.ts"
import * as Locks from "./Locks.ts"
import * as Peers from "./Peers.ts"
import * as Rounds from "./Rounds.ts"
import * as Scenarios from "./Scenarios.ts"

/** The newest, the one that the formats were read from, and the last of the old ones. */
const VERSIONS = ["5.3.3", "5.5.1", "4.9.8"]

const DAMAGES = [
  ["ours", "last record torn", "kill"],
  ["real", "last record torn", "kill"],
  ["ours", "only the log left", "kill"],
  ["real", "only the log left", "kill"],
  ["ours", "queues removed", "close"],
  ["real", "queues removed", "close"]
] as const

const run = async (context: Context): Promise<void> => {
  const home = join(context.scratch, "home")
  mkdirSync(home, { recursive: true })
  const commands = VERSIONS.map((version) => ({ version, java: JavaBuild.commandOf(version, home) }))
  await Promise.all(
    commands.map(({ java, version }) =>
      context.report.attempt(`rocketmq ${version}`, () => runVersion({ ...context, version, java }))
    )
  )
}

const runVersion = async (options: Peers.VersionOptions): Promise<void> => {
  const peers = new Peers.Peers(options)
  try {
    await Promise.all([
      inTurn(options, [() => Rounds.run(options, peers)]),
      inTurn(options, [
        () => Locks.run(options, peers),
        () => Scenarios.reverse(options, peers),
        () => Scenarios.synchronous(options, peers)
      ]),
      inTurn(
        options,
        DAMAGES.map(
          ([killed, damage, end]) =>
            () =>
              Scenarios.damaged(options, peers, killed, damage, end)
        )
      )
    ])
  } finally {
    await peers.stop()
  }
}

/** One after the other, and the next one also where one has failed. */
const inTurn = async ({ report, version }: Peers.VersionOptions, scenarios: ReadonlyArray<() => Promise<void>>) => {
  for (const scenario of scenarios) {
    await report.attempt(`rocketmq ${version}`, scenario)
  }
}

const part: Part = { name: "rocketmq", run }

export default part
