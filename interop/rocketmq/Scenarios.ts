/** Shorter relays than the rounds: each about one thing. */
import { join } from "node:path"
import type { Damage } from "./Damage.ts"
import { type Config, Handle } from "./Handle.ts"
import { History } from "./History.ts"
import type { Peers, Side, VersionOptions } from "./Peers.ts"
import { Relay } from "./Relay.ts"
import * as Rounds from "./Rounds.ts"
import { BATCH_TOPIC, Script } from "./Script.ts"

const MESSAGES = 20

const relayOf = ({ report, scratch, version }: VersionOptions, name: string, config: Config): Relay =>
  new Relay({
    report,
    title: `rocketmq ${version} ${name}`,
    directory: join(scratch, `${name.replaceAll(" ", "-")}-${version}`),
    config,
    history: new History()
  })

/** The real store begins, with its own defaults beside ours: only ours gives its records a CRC property. */
export const reverse = async (options: VersionOptions, peers: Peers): Promise<void> => {
  const relay = relayOf(options, "begun by the real one", Rounds.config)
  const script = new Script(Rounds.abilitiesOf(options.version), 2)
  await relay.turn({ peer: peers.lasting("real"), steps: script.everyKind(), end: "close" })
  await relay.turn({ peer: peers.lasting("ours"), steps: script.everyKind(), end: "close" })
  await relay.turn({ peer: peers.lasting("real"), steps: script.mixture(MESSAGES), end: "close" })
  await relay.turn({ peer: peers.lasting("ours"), steps: [], end: "close" })
}

/** Nothing set at all: files of a gibibyte, queues of six megabytes, an index of 400. */
export const defaults = async (options: VersionOptions, peers: Peers): Promise<void> => {
  const relay = relayOf(options, "with all defaults", { mappedFileSizeCommitLog: 1024 ** 3 })
  const script = new Script(Rounds.abilitiesOf(options.version), 7)
  // What depends on the end of a file is left to the small ones.
  const steps = script.everyKind().filter(({ kind }) => kind !== "fill")
  await relay.turn({ peer: peers.lasting("ours"), steps, end: "close" })
  await relay.turn({ peer: peers.lasting("real"), steps: [], end: "close" })
  await relay.turn({ peer: peers.spawn("ours"), steps: [], end: "kill" })
  await relay.turn({ peer: peers.spawn("real"), steps: [], end: "kill" })
  await relay.turn({ peer: peers.lasting("ours"), steps: [], end: "close" })
}

/** Synchronous flush and records without the CRC property, on both sides. */
export const synchronous = async (options: VersionOptions, peers: Peers): Promise<void> => {
  const isOld = options.version.startsWith("4.")
  const config = { ...Rounds.config, flushDiskType: "SYNC_FLUSH", ...(isOld ? {} : { enabledAppendPropCRC: false }) }
  const relay = relayOf(options, "synchronous", config)
  const script = new Script(Rounds.abilitiesOf(options.version), 3)
  await relay.turn({ peer: peers.lasting("ours"), steps: script.mixture(MESSAGES), end: "close" })
  await relay.turn({ peer: peers.lasting("real"), steps: script.mixture(MESSAGES), end: "close" })
  await relay.turn({ peer: peers.lasting("ours"), steps: script.mixture(MESSAGES), end: "close" })
}

/** Messages that stand in light queues as well, across a kill of each side. */
export const lightQueues = async (options: VersionOptions, peers: Peers): Promise<void> => {
  const config = { ...Rounds.config, enableLmq: true, enableMultiDispatch: true }
  const relay = relayOf(options, "light queues", config)
  const script = new Script(Rounds.abilitiesOf(options.version), 11)
  await relay.turn({ peer: peers.lasting("ours"), steps: script.light(), end: "close" })
  await relay.turn({ peer: peers.spawn("real"), steps: script.light(), end: "kill" })
  await relay.turn({ peer: peers.spawn("ours"), steps: script.light(), end: "kill" })
  await relay.turn({ peer: peers.lasting("real"), steps: script.light(), end: "close" })
  await relay.turn({ peer: peers.lasting("ours"), steps: [], end: "close" })
}

/** A topic with batch consume queues, which roll, across a kill of each side; ours begins, or the real one. */
export const innerBatches = async (options: VersionOptions, peers: Peers, first: Side): Promise<void> => {
  const second = first === "ours" ? "real" : "ours"
  const config = { ...Rounds.config, mapperFileSizeBatchConsumeQueue: 46 * 5 }
  const relay = relayOf(options, `inner batches begun by ${first === "ours" ? "ours" : "the real one"}`, config)
  // What a broker reads before it opens its store.
  const handle = await Handle.open(peers.lasting("ours"), relay.directory, config)
  await handle.setQueueType(BATCH_TOPIC, "BatchCQ")
  await handle.close()
  const script = new Script(Rounds.abilitiesOf(options.version), 13)
  await relay.turn({ peer: peers.lasting(first), steps: script.inner(), end: "close" })
  await relay.turn({ peer: peers.lasting(second), steps: script.inner(), end: "close" })
  await relay.turn({ peer: peers.spawn(first), steps: script.inner(), end: "kill" })
  await relay.turn({ peer: peers.spawn(second), steps: script.inner(), end: "kill" })
  await relay.turn({ peer: peers.lasting(first), steps: script.inner(), end: "close" })
  await relay.turn({ peer: peers.lasting(second), steps: [], end: "close" })
  await relay.turn({ peer: peers.lasting(first), steps: [], end: "close", before: "queues removed" })
  await relay.turn({ peer: peers.lasting(second), steps: [], end: "close" })
}

/** Queues with extended queues, whose files roll, across a kill of each side and the loss of the queues. */
export const extended = async (options: VersionOptions, peers: Peers, first: Side): Promise<void> => {
  const second = first === "ours" ? "real" : "ours"
  const config = { ...Rounds.config, enableConsumeQueueExt: true, mappedFileSizeConsumeQueueExt: 20 * 9 + 7 }
  const relay = relayOf(options, `extended queues begun by ${first === "ours" ? "ours" : "the real one"}`, config)
  const script = new Script(Rounds.abilitiesOf(options.version), 17)
  await relay.turn({ peer: peers.lasting(first), steps: script.everyKind(), end: "close" })
  await relay.turn({ peer: peers.lasting(second), steps: script.mixture(MESSAGES), end: "close" })
  await relay.turn({ peer: peers.spawn(first), steps: script.mixture(MESSAGES), end: "kill" })
  await relay.turn({ peer: peers.spawn(second), steps: script.mixture(MESSAGES), end: "kill" })
  await relay.turn({ peer: peers.lasting(first), steps: script.mixture(MESSAGES), end: "close" })
  await relay.turn({ peer: peers.lasting(second), steps: [], end: "close" })
  await relay.turn({ peer: peers.lasting(first), steps: [], end: "close", before: "queues removed" })
  await relay.turn({ peer: peers.lasting(second), steps: script.mixture(MESSAGES), end: "close" })
  await relay.turn({ peer: peers.lasting(first), steps: [], end: "close" })
}

/** A log that is spread over two directories. */
export const directories = async (options: VersionOptions, peers: Peers): Promise<void> => {
  const logs = ["a", "b"].map((name) => join(options.scratch, `log-${name}-${options.version}`))
  const relay = relayOf(options, "two directories", { ...Rounds.config, storePathCommitLog: logs.join(",") })
  const script = new Script(Rounds.abilitiesOf(options.version), 9)
  await relay.turn({ peer: peers.lasting("ours"), steps: script.everyKind(), end: "close" })
  await relay.turn({ peer: peers.lasting("real"), steps: script.everyKind(), end: "close" })
  await relay.turn({ peer: peers.lasting("ours"), steps: script.mixture(MESSAGES), end: "close" })
}

/** One side is killed, the files are damaged, and the other side must make them whole. */
export const damaged = async (
  options: VersionOptions,
  peers: Peers,
  killed: Side,
  damage: Damage,
  end: "close" | "kill"
): Promise<void> => {
  const other = killed === "ours" ? "real" : "ours"
  const who = killed === "ours" ? "ours" : "the real one"
  const how = end === "kill" ? "killed" : "closed"
  const relay = relayOf(options, `${who} ${how} and ${damage}`, Rounds.config)
  const script = new Script(Rounds.abilitiesOf(options.version), 4)
  const writer = end === "kill" ? peers.spawn(killed) : peers.lasting(killed)
  const plain = { kind: "put", messages: [script.plain()] } as const
  await relay.turn({ peer: writer, steps: [...script.everyKind(), plain], end })
  await relay.turn({ peer: peers.lasting(other), steps: script.mixture(MESSAGES), end: "close", before: damage })
  await relay.turn({ peer: peers.lasting(killed), steps: [], end: "close" })
}
