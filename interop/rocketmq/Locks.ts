/** A store is open on one side at a time: who comes second is refused, and who came first goes on. */
import { join } from "node:path"
import { type Config, Handle } from "./Handle.ts"
import { History } from "./History.ts"
import { PeerError } from "./Peer.ts"
import type { Peers, Side, VersionOptions } from "./Peers.ts"
import * as Rounds from "./Rounds.ts"
import { Script } from "./Script.ts"

const config: Config = Rounds.config

export const run = async (options: VersionOptions, peers: Peers): Promise<void> => {
  await exclude(options, peers, "real", /^ours: Locked: /)
  await exclude(options, peers, "ours", /Lock failed/)
}

const exclude = async (
  { report, scratch, version }: VersionOptions,
  peers: Peers,
  holder: Side,
  refusal: RegExp
): Promise<void> => {
  const title = `rocketmq ${version} lock held by ${holder === "ours" ? "ours" : "the real one"}`
  const directory = join(scratch, `lock-${holder}-${version}`)
  const history = new History()
  const script = new Script(Rounds.abilitiesOf(version), 5)
  const put = async (handle: Handle, count: number): Promise<void> => {
    const messages = Array.from({ length: count }, () => script.plain())
    history.add(messages, await handle.put(messages))
  }
  const second = peers.lasting(holder === "ours" ? "real" : "ours")
  const first = await Handle.open(peers.lasting(holder), directory, config)
  // More than half of a file: the next one is made ahead. A real store that starts clears files that look unused before
  // it asks for the lock.
  await put(first, 60)
  await first.list()
  const refused = await refusalOf(Handle.open(second, directory, config))
  report.holds(`${title} refuses ${second.name}`, refused !== undefined && refusal.test(refused), refused ?? "opened")
  if (holder === "real" && !version.startsWith("4.")) {
    const pid = String(peers.lasting("real").pid)
    report.holds(`${title} is named by its pid`, refused?.includes(pid) === true, `${refused} does not name ${pid}`)
  }
  await put(first, 60)
  await first.close()
  const after = await Handle.open(second, directory, config)
  const { messages } = await after.list()
  report.equal(
    `${title} lost nothing to ${second.name}`,
    { name: second.name, value: messages.map(({ position }) => position) },
    { name: "put", value: history.messages.map(({ position }) => position) }
  )
  await after.close()
}

const refusalOf = async (opening: Promise<Handle>): Promise<string | undefined> => {
  try {
    await (await opening).close()
    return undefined
  } catch (error) {
    if (error instanceof PeerError) {
      return error.message
    }
    throw error
  }
}
