/**
 * One directory, copied: one copy is opened by ours, the other one by the real store, and both must find the same. For
 * stores whose beginning has been cleaned away, where no list of puts says what is left.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Handle } from "./Handle.ts"
import { History, isQueued } from "./History.ts"
import type { ListedMessage, Listing } from "./Listing.ts"
import type { Peer } from "./Peer.ts"
import type { Peers, Side, VersionOptions } from "./Peers.ts"
import * as Rounds from "./Rounds.ts"
import { Script } from "./Script.ts"
import * as Snapshot from "./Snapshot.ts"

/** How many of the oldest files of the log are gone, of at least six. */
const CLEANINGS: Readonly<Record<string, number>> = {
  "nothing gone": 0,
  "one file of the log gone": 1,
  "four files of the log gone": 4,
  "all but the last file of the log gone": Number.POSITIVE_INFINITY
}

const MESSAGES = 250

export const run = async (options: VersionOptions, peers: Peers, writer: Side): Promise<void> => {
  const { scratch, version } = options
  const history = new History()
  const script = new Script(Rounds.abilitiesOf(version), 8)
  const directory = join(scratch, `twins-${writer}-${version}`)
  const handle = await Handle.open(peers.lasting(writer), directory, Rounds.config)
  for (const step of script.mixture(MESSAGES)) {
    if (step.kind !== "fill") {
      history.add(
        step.messages,
        await (step.kind === "put" ? handle.put(step.messages) : handle.putBatch(step.messages))
      )
    }
  }
  await handle.close()
  for (const [name, count] of Object.entries(CLEANINGS)) {
    // 4.9.8 keeps the old beginning of a queue that has lost all its messages.
    if (version.startsWith("4.") && count === Number.POSITIVE_INFINITY) {
      continue
    }
    const copies = ["ours", "real"].map((side) => `${directory}-${name.replaceAll(/\W+/g, "-")}-${side}`)
    for (const copy of copies) {
      cpSync(directory, copy, { recursive: true, preserveTimestamps: true })
      clean(copy, count)
    }
    const title = `rocketmq ${version} twins of ${writer === "ours" ? "ours" : "the real one"}, ${name}:`
    await compare(options, title, history, [peers.lasting("ours"), copies[0]!], [peers.lasting("real"), copies[1]!])
  }
}

/** Removes what the real store's own cleaning does: files of the log, then files of queues and index without a record. */
const clean = (directory: string, count: number): void => {
  const log = join(directory, "commitlog")
  const names = readdirSync(log).toSorted()
  const gone = names.slice(0, Math.min(count, names.length - 1))
  for (const name of gone) {
    rmSync(join(log, name))
  }
  const minPosition = Number(names[gone.length])
  const queues = join(directory, "consumequeue")
  for (const topic of readdirSync(queues)) {
    for (const queue of readdirSync(join(queues, topic))) {
      cleanFolder(join(queues, topic, queue), (bytes) => bytes.readBigInt64BE(bytes.length - ENTRY_LENGTH), minPosition)
    }
  }
  cleanFolder(join(directory, "index"), (bytes) => bytes.readBigInt64BE(INDEX_END_POSITION_OFFSET), minPosition)
}

const ENTRY_LENGTH = 20
const INDEX_END_POSITION_OFFSET = 24

/** Removes the files whose last record is gone, but not the last file. */
const cleanFolder = (folder: string, lastPosition: (file: Buffer) => bigint, minPosition: number): void => {
  for (const name of readdirSync(folder).toSorted().slice(0, -1)) {
    const path = join(folder, name)
    if (Number(lastPosition(readFileSync(path))) >= minPosition) {
      break
    }
    rmSync(path)
  }
}

const compare = async (
  { report }: VersionOptions,
  title: string,
  history: History,
  ours: readonly [Peer, string],
  real: readonly [Peer, string]
): Promise<void> => {
  const [found, expected] = await Promise.all([look(history, ...ours), look(history, ...real)])
  report.equal(
    `${title} ours lists ${found.snapshot.listing.messages.length} messages like ${expected.name}`,
    { name: found.name, value: messagesOf(found.snapshot.listing) },
    { name: expected.name, value: messagesOf(expected.snapshot.listing) }
  )
  report.equal(
    `${title} ours has ${found.snapshot.listing.queues.length} queues like ${expected.name}`,
    { name: found.name, value: queuesOf(found.snapshot.listing) },
    { name: expected.name, value: queuesOf(expected.snapshot.listing) }
  )
  Snapshot.compare(report, `${title} ours`, found, expected)
}

const look = async (history: History, peer: Peer, directory: string): Promise<Snapshot.NamedSnapshot> => {
  const handle = await Handle.open(peer, directory, Rounds.config)
  const snapshot = await Snapshot.take(handle, history)
  await handle.close()
  return { name: peer.name, snapshot }
}

const messagesOf = ({ maxPosition, messages, minPosition }: Listing) => ({
  minPosition,
  maxPosition,
  messages: messages.map(({ isValid: _isValid, tagsCode: _tagsCode, ...fields }: ListedMessage) => ({
    ...fields,
    queueOffset: isQueued(fields.sysFlag) ? fields.queueOffset : 0
  }))
})

const queuesOf = ({ queues }: Listing) =>
  queues.map(({ entries, ...queue }) => ({ ...queue, entries: entries.map(([position, size]) => [position, size]) }))
