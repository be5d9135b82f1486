/** Ours reads a store that the real one has open: read-only, without its lock, and sees what is put meanwhile. */
import { join } from "node:path"
import { Handle } from "./Handle.ts"
import { History } from "./History.ts"
import type { ScriptedMessage } from "./Listing.ts"
import type { Peers, VersionOptions } from "./Peers.ts"
import * as Rounds from "./Rounds.ts"
import { Script } from "./Script.ts"
import * as Snapshot from "./Snapshot.ts"

/** Several files of the log, of queues and of the index. */
const MESSAGES = 150

export const run = async ({ report, scratch, version }: VersionOptions, peers: Peers): Promise<void> => {
  const title = `rocketmq ${version} beside: ours`
  const directory = join(scratch, `beside-${version}`)
  const history = new History()
  const script = new Script(Rounds.abilitiesOf(version), 6)
  const writer = await Handle.open(peers.lasting("real"), directory, Rounds.config)
  const put = async (): Promise<void> => {
    const messages = Array.from({ length: MESSAGES }, () => script.plain())
    history.add(messages, await writer.put(messages))
  }
  const compare = async (reader: Handle, when: string): Promise<void> => {
    const expected = await Snapshot.take(writer, history)
    const found = await Snapshot.take(reader, history)
    report.equal(
      `${title} lists ${history.messages.length} messages ${when}`,
      { name: "ours", value: found.listing.messages.map(({ position }) => position) },
      { name: version, value: expected.listing.messages.map(({ position }) => position) }
    )
    Snapshot.compare(
      report,
      `${title} ${when}`,
      { name: "ours", snapshot: found },
      { name: version, snapshot: expected }
    )
  }
  await put()
  const reader = await Handle.open(peers.lasting("ours"), directory, { ...Rounds.config, readOnly: true })
  await compare(reader, "put before")
  await put()
  await compare(reader, "put while it reads")
  const refused = await refusalOf(reader, script.plain())
  report.holds(`${title} puts nothing itself`, refused?.startsWith("ours: NotWriteable: ") === true, String(refused))
  await reader.close()
  await writer.close()
}

const refusalOf = async (reader: Handle, message: ScriptedMessage): Promise<string | undefined> => {
  try {
    await reader.put([message])
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
