/**
 * Our client on the real driver and real clients on our driver, over IPC, and the two drivers with each other over UDP:
 * every message, in order, byte for byte; and what both make of a writer that died.
 */
import { spawnSync } from "node:child_process"
import type { Context, Part } from "../Part.ts"
import * as AbandonedClaims from "./AbandonedClaims.ts"
import { runNetwork } from "./network.ts"
import { java } from "./Process.ts"
import { check, runStream, type Side, type Stream, streamsOf, titleOf, withDrivers } from "./Streams.ts"
import * as SharedRing from "./SharedRing.ts"
import * as UnblockedLogs from "./UnblockedLogs.ts"

const CHANNEL = "aeron:ipc"
const COUNT = 100_000
const COUNT_LONG = 5_000_000

/** Aeron's own tools on our directory. */
const checkTools = async (context: Context, directory: string): Promise<void> => {
  const aeronDirectory = { "aeron.dir": directory }
  await check(context, "millrace driver: AeronStat prints its counters", async () => {
    const stat = java("AeronStat", "io.aeron.samples.AeronStat", ["watch=false"], aeronDirectory)
    await stat.end("CnC v0.2.0")
    for (const label of ["Bytes sent", "Errors: version=", "Control protocol version", "Bytes currently mapped"]) {
      context.report.holds(`millrace driver: AeronStat shows ${label}`, stat.output.includes(label), stat.output)
    }
  })
  await check(context, "millrace driver: a Java client's own counter", async () => {
    const probe = java("CountersProbe", "millrace.interop.CountersProbe", [directory])
    await probe.end("1007 42 interop counter")
  })
  await check(context, "millrace driver: ErrorStat finds no error", async () => {
    const errors = java("ErrorStat", "io.aeron.samples.ErrorStat", [], aeronDirectory)
    await errors.end("0 distinct errors observed.")
  })
}

const run = async (context: Context): Promise<void> => {
  const built = spawnSync("mvn", ["-q", "-B", "process-classes"], { cwd: import.meta.dirname, encoding: "utf8" })
  if (built.status !== 0) {
    throw new Error(`Maven did not build the Java peers: ${built.stdout}\n${built.stderr}`)
  }
  const count = context.isLong ? COUNT_LONG : COUNT
  let streamId = 1000
  const runAll = async (driver: Side, directory: string, streams: ReadonlyArray<Stream>): Promise<void> => {
    for (const stream of streams) {
      await check(context, titleOf(`${driver} driver`, stream), () =>
        runStream(
          {
            publisherDirectory: directory,
            subscriberDirectory: directory,
            channel: CHANNEL,
            streamId: ++streamId,
            count
          },
          stream
        )
      )
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
    await checkTools(context, directory)
  })
  await runNetwork(context, count)
  await context.report.attempt("shared ring", () => SharedRing.run(context))
  await context.report.attempt("abandoned logs", () => UnblockedLogs.run(context))
  await context.report.attempt("abandoned claims", () => AbandonedClaims.run(context))
}

const part: Part = { name: "aeron", run }

export default part
