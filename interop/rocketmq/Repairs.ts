/**
 * A record in the middle of the log is damaged, or a file is missing or too short: ours refuses the store, mends it, and
 * the real one opens what was mended, finds every message that could be kept, and goes on.
 */
import * as Effect from "effect/Effect"
import { closeSync, openSync, readSync, rmSync, truncateSync, writeSync } from "node:fs"
import { join } from "node:path"
import * as Inspect from "../../packages/store/src/Inspect.ts"
import * as Repair from "../../packages/store/src/Repair.ts"
import { Handle } from "./Handle.ts"
import { History } from "./History.ts"
import type { ListedMessage, Listing } from "./Listing.ts"
import type { Peers, Side, VersionOptions } from "./Peers.ts"
import * as Rounds from "./Rounds.ts"
import { Script } from "./Script.ts"

const MESSAGES = 40
/** As many that the log has a file in its middle. */
const MESSAGES_OF_FILES = 450
/** Messages behind the damaged one. */
const BEHIND = 4

const NAME_DIGITS = 20
/** Length in the entry of a queue that stands for no record. */
const FILLER_SIZE = 0x7fffffff

export type Injury = "record damaged" | "file missing" | "file too short"

export const run = async (
  options: VersionOptions,
  peers: Peers,
  begun: Side,
  injury: Injury,
  choice: Repair.Choice["name"]
): Promise<void> => {
  const { report, scratch, version } = options
  const title = `rocketmq ${version} begun by ${begun}, ${injury}, repaired with ${choice}`
  const directory = join(scratch, `repair-${begun}-${injury.replaceAll(" ", "-")}-${choice}-${version}`)
  const history = new History()
  const script = new Script(Rounds.abilitiesOf(version), 8)
  const put = async (handle: Handle, count: number): Promise<void> => {
    const messages = Array.from({ length: count }, () => script.plain())
    history.add(messages, await handle.put(messages))
  }
  const first = await Handle.open(peers.lasting(begun), directory, Rounds.config)
  await put(first, injury === "record damaged" ? MESSAGES : MESSAGES_OF_FILES)
  await first.close()
  const lost = injure(directory, history.messages, injury)
  const lostFrom = Math.min(...lost)
  const refusal = await Handle.open(peers.lasting("ours"), directory, Rounds.config).then(
    () => "opened",
    (error: unknown) => String(error)
  )
  const reason = injury === "record damaged" ? "CorruptLog" : "ForeignFile"
  report.holds(`${title}: ours refuses it first`, refusal.includes(reason), refusal)
  await Effect.runPromise(Repair.apply({ directory, choice, ...Rounds.config }))
  const expected = history.messages.filter(({ position }) =>
    choice === "keep" ? !lost.has(position) : position < lostFrom
  )
  const real = await Handle.open(peers.lasting("real"), directory, Rounds.config)
  checkListing(options, title, await real.list(), expected)
  const before = history.messages.length
  await put(real, MESSAGES)
  const added = history.messages.slice(before)
  checkListing(options, `${title}, with more`, await real.list(), [...expected, ...added])
  await real.close()
  const { findings } = await Effect.runPromise(Inspect.verify({ directory, ...Rounds.config }))
  report.holds(`${title}: everything agrees afterwards`, findings.length === 0, JSON.stringify(findings.slice(0, 3)))
}

/** Every record is valid to the real store; those that are queued stand in their queues, in order. */
const checkListing = (
  { report, version }: VersionOptions,
  title: string,
  listing: Listing,
  expected: ReadonlyArray<ListedMessage>
): void => {
  const positions = new Set(expected.map(({ position }) => position))
  const kept = listing.messages.filter(({ position }) => positions.has(position))
  report.holds(
    `${title}: ${version} accepts all ${listing.messages.length} records`,
    listing.messages.every(({ isValid }) => isValid === true) && listing.listedTo === listing.maxPosition,
    `it ends at ${listing.listedTo} of ${listing.maxPosition}`
  )
  report.equal(
    `${title}: ${version} lists ${expected.length} messages`,
    { name: version, value: kept.map(bodyOf) },
    { name: "put", value: expected.map(bodyOf) }
  )
  const entries = listing.queues.flatMap((queue) => queue.entries)
  const queued = entries.filter(([, size]) => size !== FILLER_SIZE).map(([position]) => position)
  report.equal(
    `${title}: ${version} has them in its queues`,
    { name: version, value: queued.filter((position) => positions.has(position)).toSorted((a, b) => a - b) },
    { name: "put", value: [...positions].toSorted((a, b) => a - b) }
  )
}

const bodyOf = ({ body, position, queueId, queueOffset, topic }: ListedMessage): unknown => ({
  body,
  position,
  queueId,
  queueOffset,
  topic
})

const FILE_LENGTH = Rounds.config.mappedFileSizeCommitLog

const fileOf = (directory: string, position: number): string => {
  const start = Math.floor(position / FILE_LENGTH) * FILE_LENGTH
  return join(directory, "commitlog", String(start).padStart(NAME_DIGITS, "0"))
}

/** Does it, and says which messages are lost by that, by their positions. */
const injure = (directory: string, messages: ReadonlyArray<ListedMessage>, injury: Injury): ReadonlySet<number> => {
  if (injury === "record damaged") {
    const bad = messages.at(-BEHIND - 1)!
    flipBit(directory, bad)
    return new Set([bad.position])
  }
  const positions = messages.map(({ position }) => position)
  const ofFile = positions.filter((position) => Math.floor(position / FILE_LENGTH) === 1)
  if (injury === "file missing") {
    rmSync(fileOf(directory, FILE_LENGTH))
    return new Set(ofFile)
  }
  const last = ofFile[Math.floor(ofFile.length / 2)]!
  truncateSync(fileOf(directory, FILE_LENGTH), last - FILE_LENGTH + 1)
  return new Set(ofFile.filter((position) => position >= last))
}

/** Flips a bit of the body of a record. */
const flipBit = (directory: string, { bornHost, position, storeHost }: ListedMessage): void => {
  const start = Math.floor(position / FILE_LENGTH) * FILE_LENGTH
  const hostsLength = [bornHost, storeHost].reduce((sum, host) => sum + (host.startsWith("[") ? 20 : 8), 0)
  // The fixed fields before the body are 72 bytes and the two hosts.
  const at = position - start + 72 + hostsLength
  const file = openSync(fileOf(directory, position), "r+")
  const byte = Buffer.alloc(1)
  readSync(file, byte, 0, 1, at)
  byte[0]! ^= 0x10
  writeSync(file, byte, 0, 1, at)
  closeSync(file)
}
