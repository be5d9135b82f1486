/** The commands that read run beside the real store that has the directory open, and say what it says; none may write. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { Handle } from "./Handle.ts"
import { History } from "./History.ts"
import type { Peers, VersionOptions } from "./Peers.ts"
import * as Rounds from "./Rounds.ts"
import { Script } from "./Script.ts"

const MESSAGES = 60
const BIN = join(import.meta.dirname, "../../packages/cli/src/bin.ts")

interface Ended {
  readonly code: number | null
  readonly errors: string
  /** The lines of its output, which is JSON. */
  readonly lines: ReadonlyArray<ReturnType<typeof JSON.parse>>
}

const millrace = async (...args: ReadonlyArray<string>): Promise<Ended> => {
  const child = spawn(process.execPath, [BIN, "store", ...args, "--json"], { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  let errors = ""
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()))
  child.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()))
  const [code] = (await once(child, "close")) as [number | null]
  const lines = output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
  return { code, errors, lines }
}

export const run = async ({ report, scratch, version }: VersionOptions, peers: Peers): Promise<void> => {
  const title = `rocketmq ${version} open beside the commands:`
  const directory = join(scratch, `commands-${version}`)
  const history = new History()
  const script = new Script(Rounds.abilitiesOf(version), 10)
  const writer = await Handle.open(peers.lasting("real"), directory, Rounds.config)
  const messages = Array.from({ length: MESSAGES }, () => script.plain())
  history.add(messages, await writer.put(messages))
  await writer.maxPosition()
  const last = history.messages.at(-1)!

  const exported = await millrace("export", directory)
  const positions = exported.lines.slice(0, -1).map(({ physicalOffset }) => physicalOffset)
  const put = history.messages.map(({ position }) => position)
  report.equal(`${title} export has every record`, { name: "ours", value: positions }, { name: "put", value: put })
  const verified = await millrace("verify", directory)
  report.holds(`${title} verify finds nothing`, verified.code === 0, JSON.stringify(verified.lines).slice(0, 500))
  const got = await millrace("get", directory, "--topic", last.topic, "--queue", String(last.queueId), "--offset", "0")
  const offsets = got.lines[0]?.messages.map(({ queueOffset }: { readonly queueOffset: number }) => queueOffset)
  const inQueue = history.messages.filter(({ queueId }) => queueId === last.queueId).slice(0, offsets?.length)
  report.equal(
    `${title} get reads a queue`,
    { name: "ours", value: offsets },
    { name: "put", value: inQueue.map(({ queueOffset }) => queueOffset) }
  )
  const key = last.properties["KEYS"]!.split(" ")[0]!
  const found = await millrace("query", directory, "--topic", last.topic, "--key", key)
  report.equal(
    `${title} query finds a key`,
    { name: "ours", value: found.lines.map(({ physicalOffset }) => physicalOffset) },
    { name: "put", value: history.withKey(last.topic, key) }
  )
  const refused = await millrace("put", directory, "body", "--topic", last.topic)
  // 4.x leaves no number of its process in the store.
  const holder = version.startsWith("4.") ? "another process" : `process ${peers.lasting("real").pid}`
  const isRefused = refused.code === 1 && refused.errors.includes(`is open in ${holder}`)
  report.holds(`${title} put is refused, and names the process`, isRefused, refused.errors)
  await writer.close()
}
