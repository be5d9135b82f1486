/** Our store and the real one take turns on the same directories, for each version of RocketMQ. */
import { join } from "node:path"
import { mkdirSync } from "node:fs"
import type { Context, Part } from "../Part.ts"
import * as JavaBuild from "./JavaBuild.ts"
import * as Peers from "./Peers.ts"
import * as Rounds from "./Rounds.ts"

/** The newest, the one that the formats were read from, and the last of the old ones. */
const VERSIONS = ["5.3.3", "5.5.1", "4.9.8"]

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
    await Rounds.run(options, peers)
  } finally {
    await peers.stop()
  }
}

const part: Part = { name: "rocketmq", run }

export default part
