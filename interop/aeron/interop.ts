/**
 * Our client on the real driver and real clients on our driver, over IPC: every message, in order, byte for byte; and
 * what both make of a writer that died.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Context, Part } from "../Part.ts"
import * as AbandonedClaims from "./AbandonedClaims.ts"
import { java, killAll, millrace, type Process } from "./Process.ts"
import * as UnblockedLogs from "./UnblockedLogs.ts"

type Side = "java" | "millrace"

interface Stream {
  readonly publisher: Side
  readonly subscriber: Side
  readonly isExclusive: boolean
  /** Lengths of the messages in turn; beyond the MTU they are fragmented. */
  readonly lengths: string
}

const CHANNEL = "aeron:ipc"
const COUNT = 100_000
const COUNT_LONG = 5_000_000
const SHORT = "32,100,8,1376"
const LONG = "1377,5000,40,20000"
const TERM_LENGTH = 1024 * 1024

const driverOf = async (side: Side, directory: string): Promise<Process> => {
  if (side === "millrace") {
    const driver = millrace("driver", [directory])
    await driver.line("ready")
    return driver
  }
  return java("driver", "io.aeron.driver.MediaDriver", [], {
    "aeron.dir": directory,
    "aeron.threading.mode": "SHARED",
    "aeron.shared.idle.strategy": "org.agrona.concurrent.BackoffIdleStrategy",
    "aeron.ipc.term.buffer.length": String(TERM_LENGTH)
  })
}

const publisherOf = (side: Side, args: ReadonlyArray<string>): Process =>
  side === "java" ? java("publisher", "millrace.interop.Publisher", args) : millrace("publisher", args)

const subscriberOf = (side: Side, args: ReadonlyArray<string>): Process =>
  side === "java" ? java("subscriber", "millrace.interop.Subscriber", args) : millrace("subscriber", args)

const runStream = async (directory: string, streamId: number, count: number, stream: Stream): Promise<void> => {
  const place = [directory, CHANNEL, String(streamId), String(count), stream.lengths]
  const subscriber = subscriberOf(stream.subscriber, place)
  await subscriber.line("subscribed")
  const publisher = publisherOf(stream.publisher, [...place, String(stream.isExclusive)])
  await publisher.end(`published ${count}`)
  await subscriber.end(`received ${count}`)
}

const streamsOf = (pairs: ReadonlyArray<readonly [publisher: Side, subscriber: Side]>): ReadonlyArray<Stream> =>
  pairs.flatMap(([publisher, subscriber]) =>
    [SHORT, LONG].flatMap((lengths) =>
      [false, true].map((isExclusive) => ({ publisher, subscriber, isExclusive, lengths }))
    )
  )

const titleOf = (driver: Side, { isExclusive, lengths, publisher, subscriber }: Stream): string =>
  `${driver} driver: ${publisher} -> ${subscriber}, ${isExclusive ? "exclusive" : "concurrent"}, lengths ${lengths}`

/** Runs a check of several steps; what it throws is a failure, else it holds. */
const check = ({ report }: Context, title: string, run: () => Promise<void>): Promise<void> =>
  report.attempt(title, async () => {
    await run()
    report.holds(title, true, "")
  })

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

const withDriver = async (side: Side, use: (directory: string) => Promise<void>): Promise<void> => {
  const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()
  const directory = mkdtempSync(join(root, "millrace-interop-"))
  try {
    const driver = await driverOf(side, directory)
    await use(directory)
    await driver.stop("SIGTERM")
  } finally {
    killAll()
    rmSync(directory, { recursive: true, force: true })
  }
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
      await check(context, titleOf(driver, stream), () => runStream(directory, ++streamId, count, stream))
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
  await withDriver("java", (directory) => runAll("java", directory, ours))
  await withDriver("millrace", async (directory) => {
    await runAll("millrace", directory, theirs)
    await checkTools(context, directory)
  })
  await context.report.attempt("abandoned logs", () => UnblockedLogs.run(context))
  await context.report.attempt("abandoned claims", () => AbandonedClaims.run(context))
}

const part: Part = { name: "aeron", run }

export default part
