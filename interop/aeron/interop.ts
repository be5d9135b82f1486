/**
 * Our client on the real drivers and real clients on our driver, over IPC, and the drivers with each other over UDP:
 * every message, in order, byte for byte; and what all make of a writer that died. The real ones are Java's, and C's
 * where the run is given them.
 */
import { spawnSync } from "node:child_process"
import type { Context, Part } from "../Part.ts"
import * as AbandonedClaims from "./AbandonedClaims.ts"
import * as Aeronmd from "./Aeronmd.ts"
import * as BadChannels from "./BadChannels.ts"
import * as Capture from "./Capture.ts"
import * as Clients from "./Clients.ts"
import * as CPeer from "./CPeer.ts"
import * as DropIn from "./DropIn.ts"
import * as Features from "./Features.ts"
import * as LogMetadata from "./LogMetadata.ts"
import * as Names from "./Names.ts"
import { runNetwork } from "./network.ts"
import * as Samples from "./Samples.ts"
import * as SharedRing from "./SharedRing.ts"
import {
  check,
  client,
  freePort,
  type Peer,
  runStream,
  type Side,
  type Stream,
  streamsOf,
  titleOf,
  withDrivers
} from "./Streams.ts"
import * as TaggedChannels from "./TaggedChannels.ts"
import * as Threads from "./Threads.ts"
import * as Timestamps from "./Timestamps.ts"
import * as Tools from "./Tools.ts"
import * as UnblockedLogs from "./UnblockedLogs.ts"

const CHANNEL = "aeron:ipc"
const COUNT = 100_000
const COUNT_LONG = 5_000_000

/** A counter that a client of the peer adds on our driver, seen by it beside the driver's own. */
const checkCounters = (context: Context, directory: string, peer: Peer): Promise<void> =>
  check(context, `millrace driver: a counter of a ${peer} client`, () =>
    client(peer, "countersProbe", [directory]).end("1007 42 interop counter")
  )

const run = async (context: Context): Promise<void> => {
  const built = spawnSync("mvn", ["-q", "-B", "process-classes"], { cwd: import.meta.dirname, encoding: "utf8" })
  if (built.status !== 0) {
    throw new Error(`Maven did not build the Java peers: ${built.stdout}\n${built.stderr}`)
  }
  const isChosen = (name: string): boolean => context.sections.length === 0 || context.sections.includes(name)
  const count = context.isLong ? COUNT_LONG : COUNT
  for (const [name, section] of Object.entries(sections)) {
    if (isChosen(name)) {
      await context.report.attempt(name, () => section(context, count, "java"))
    }
  }
  const ofC = Object.entries(sectionsOfC).filter(([name]) => isChosen(C) || isChosen(nameOfC(name)))
  if (ofC.length > 0 && isCThere(context)) {
    for (const [name, section] of ofC) {
      await context.report.attempt(nameOfC(name), () => section(context, count, "c"))
    }
  }
}

const isCThere = ({ report }: Context): boolean => {
  if (CPeer.missing !== undefined) {
    report.notRun("the C driver, its clients, samples and tools", CPeer.missing)
    return false
  }
  process.stdout.write(`the C driver is ${CPeer.version()}\n`)
  CPeer.build()
  return true
}

/** Both sides' clients with each other on either driver, over IPC and over UDP. */
const runStreams = async (context: Context, count: number, peer: Peer): Promise<void> => {
  let streamId = 1000
  const runAll = async (driver: Side, directory: string, streams: ReadonlyArray<Stream>): Promise<void> => {
    for (const channel of [CHANNEL, `aeron:udp?endpoint=localhost:${await freePort()}|term-length=1m`]) {
      for (const stream of streams) {
        await check(context, titleOf(`${driver} driver, ${channel.slice(6, 9)}`, stream), () =>
          runStream(
            {
              publisherDirectory: directory,
              subscriberDirectory: directory,
              channel,
              streamId: ++streamId,
              count
            },
            stream
          )
        )
      }
    }
  }
  const ours = streamsOf([
    ["millrace", "millrace"],
    ["millrace", peer],
    [peer, "millrace"]
  ])
  const theirs = streamsOf([
    [peer, peer],
    [peer, "millrace"],
    ["millrace", peer]
  ])
  await withDrivers([peer], (directory) => runAll(peer, directory, ours))
  await withDrivers(["millrace"], async (directory) => {
    await runAll("millrace", directory, theirs)
    await checkCounters(context, directory, peer)
  })
}

type Section = (context: Context, count: number, peer: Peer) => Promise<void>

/** With either peer. */
const sectionsOfBoth: Readonly<Record<string, Section>> = {
  streams: runStreams,
  clients: Clients.run,
  dropIn: DropIn.run,
  channels: BadChannels.run,
  features: Features.run,
  network: runNetwork,
  names: Names.run,
  threads: Threads.run,
  timestamps: Timestamps.run,
  tools: Tools.run,
  claims: AbandonedClaims.run
}

const sections: Readonly<Record<string, Section>> = {
  ...sectionsOfBoth,
  metadata: LogMetadata.run,
  tags: TaggedChannels.run,
  capture: Capture.run,
  ring: SharedRing.run,
  unblocker: UnblockedLogs.run
}

const sectionsOfC: Readonly<Record<string, Section>> = {
  ...sectionsOfBoth,
  aeronmd: Aeronmd.run,
  samples: Samples.run
}

/** All sections with C's peers. */
const C = "c"
const nameOfC = (section: string): string => `${C}-${section}`

const part: Part = {
  name: "aeron",
  sections: [...Object.keys(sections), C, ...Object.keys(sectionsOfC).map(nameOfC)],
  run
}

export default part
