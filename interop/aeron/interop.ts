/**
 * Our client on the real driver and real clients on our driver, over IPC, and the two drivers with each other over UDP:
 * every message, in order, byte for byte; and what both make of a writer that died.
 */
import { spawnSync } from "node:child_process"
import type { Context, Part } from "../Part.ts"
import * as AbandonedClaims from "./AbandonedClaims.ts"
import * as Capture from "./Capture.ts"
import * as Clients from "./Clients.ts"
import * as DropIn from "./DropIn.ts"
import * as Features from "./Features.ts"
import * as Names from "./Names.ts"
import { runNetwork } from "./network.ts"
import { java } from "./Process.ts"
import { check, freePort, runStream, type Side, type Stream, streamsOf, titleOf, withDrivers } from "./Streams.ts"
import * as SharedRing from "./SharedRing.ts"
import * as Threads from "./Threads.ts"
import * as Timestamps from "./Timestamps.ts"
import * as Tools from "./Tools.ts"
import * as UnblockedLogs from "./UnblockedLogs.ts"

const CHANNEL = "aeron:ipc"
const COUNT = 100_000
const COUNT_LONG = 5_000_000

/** A counter that a Java client adds on our driver, seen by it beside the driver's own. */
const checkCounters = (context: Context, directory: string): Promise<void> =>
  check(context, "millrace driver: a Java client's own counter", async () => {
    const probe = java("CountersProbe", "millrace.interop.CountersProbe", [directory])
    await probe.end("1007 42 interop counter")
  })

const run = async (context: Context): Promise<void> => {
  const built = spawnSync("mvn", ["-q", "-B", "process-classes"], { cwd: import.meta.dirname, encoding: "utf8" })
  if (built.status !== 0) {
    throw new Error(`Maven did not build the Java peers: ${built.stdout}\n${built.stderr}`)
  }
  for (const [name, section] of Object.entries(sections)) {
    if (context.sections.length === 0 || context.sections.includes(name)) {
      await context.report.attempt(name, () => section(context, context.isLong ? COUNT_LONG : COUNT))
    }
  }
}

/** Both sides' clients with each other on either driver, over IPC and over UDP. */
const runStreams = async (context: Context, count: number): Promise<void> => {
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
    ["millrace", "java"],
    ["java", "millrace"]
  ])
  const theirs = streamsOf([
    ["java", "java"],
    ["java", "millrace"],
    ["millrace", "java"]
  ])
  await withDrivers(["java"], (directory) => runAll("java", directory, ours))
  await withDrivers(["millrace"], async (directory) => {
    await runAll("millrace", directory, theirs)
    await checkCounters(context, directory)
  })
}

const sections: Readonly<Record<string, (context: Context, count: number) => Promise<void>>> = {
  streams: runStreams,
  clients: Clients.run,
  dropIn: DropIn.run,
  features: Features.run,
  network: runNetwork,
  names: Names.run,
  threads: Threads.run,
  timestamps: Timestamps.run,
  tools: Tools.run,
  capture: Capture.run,
  ring: SharedRing.run,
  unblocker: UnblockedLogs.run,
  claims: AbandonedClaims.run
}

const part: Part = { name: "aeron", sections: Object.keys(sections), run }

export default part
