/**
 * Aeron's tools and ours on the same directory, that of Java's driver and that of ours, while its streams stand still: a
 * stream over IPC and one over UDP with messages that nobody has read, one over UDP that has lost data, and an error.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { Context } from "../Part.ts"
import type { HeldStream } from "./holder.ts"
import { cli, java, millrace } from "./Process.ts"
import { check, freePort, type Side, withDrivers } from "./Streams.ts"
import * as TheirTools from "./TheirTools.ts"

const LOSS = { "aeron.debug.receive.data.loss.rate": "0.1", "aeron.debug.receive.data.loss.seed": "42" }
const JAVA_LOSS = {
  ...LOSS,
  "aeron.SendChannelEndpoint.supplier": "io.aeron.driver.ext.DebugSendChannelEndpointSupplier",
  "aeron.ReceiveChannelEndpoint.supplier": "io.aeron.driver.ext.DebugReceiveChannelEndpointSupplier"
}

/** Longer than the driver's timer, and than its heartbeats and status messages are apart: positions have settled. */
const SETTLED_MS = 1500

export const run = async (context: Context): Promise<void> => {
  for (const side of ["java", "millrace"] as const) {
    await withDrivers([side], (directory) => checkDriver(context, side, directory), {
      java: JAVA_LOSS,
      millrace: LOSS
    })
  }
}

const checkDriver = async (context: Context, side: Side, directory: string): Promise<void> => {
  const streams: ReadonlyArray<HeldStream> = [
    { channel: "aeron:ipc?term-length=64k", streamId: 3001, count: 100, length: 100, read: 40 },
    {
      channel: `aeron:udp?endpoint=localhost:${await freePort()}|term-length=64k`,
      streamId: 3002,
      count: 100,
      length: 100,
      read: 70
    },
    {
      channel: `aeron:udp?endpoint=localhost:${await freePort()}|term-length=64k`,
      streamId: 3003,
      count: 3000,
      length: 1000,
      read: 3000
    }
  ]
  const holder = millrace("holder", [directory, JSON.stringify(streams)])
  await holder.line("held")
  const refused = cli(["subscribe", "--dir", directory, "--channel", "aeron:udp?endpoint=no.such.host.invalid:40123"])
  await refused.ended
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
  for (const compare of [compareCounters, compareStreams, compareBacklogs, compareErrors, compareLosses]) {
    await context.report.attempt(`${side} driver: ${compare.name}`, () => compare(context, side, directory))
  }
  await context.report.attempt(`${side} driver: logs`, () => compareLogs(context, side, directory))
  await holder.finish()
}

/** Of all that ours print: each command has its own of these. */
interface Ours {
  readonly counters: ReadonlyArray<OurCounter>
  readonly streams: ReadonlyArray<never>
  readonly errors: ReadonlyArray<never>
  readonly losses: ReadonlyArray<never>
}

const ours = async (tool: string, directory: string): Promise<Ours> => {
  const process = cli([tool, "--dir", directory, "--json"])
  await process.end("")
  return JSON.parse(process.output)
}

/** By itself LogInspector ends a term at its first empty place: what a publisher has cleaned is such a place. */
const THEIR_PROPERTIES = { "aeron.log.inspector.scanOverZeroes": "true" }

const theirs = async (tool: string, directory: string, args: ReadonlyArray<string> = []): Promise<string> => {
  const process = java(tool, `io.aeron.samples.${tool}`, args, { "aeron.dir": directory, ...THEIR_PROPERTIES })
  await process.end("")
  return process.output
}

interface OurCounter {
  readonly id: number
  readonly value: number
  readonly label: string
}

/** Some counters go on counting: theirs has to lie between what we see before and after. */
const compareCounters = async ({ report }: Context, side: Side, directory: string): Promise<void> => {
  const { counters: before } = await ours("stat", directory)
  const shown = TheirTools.counters(await theirs("AeronStat", directory, ["watch=false"]))
  const { counters: after } = await ours("stat", directory)
  const labelsOf = (counters: ReadonlyArray<OurCounter>) => counters.map(({ id, label }) => `${id} ${label}`)
  report.equal(
    `${side} driver: AeronStat and millrace stat name the same counters`,
    { name: "millrace", value: labelsOf(before) },
    { name: "java", value: labelsOf(shown) }
  )
  const outside = shown.filter(({ value }, index) => value < before[index]!.value || value > after[index]!.value)
  report.holds(
    `${side} driver: AeronStat and millrace stat show the same values`,
    outside.length === 0,
    outside.map(({ id, label, value }) => `${id} ${label}: ${value}`).join("; ")
  )
}

const compareStreams = async ({ report }: Context, side: Side, directory: string): Promise<void> => {
  const text = await theirs("StreamStat", directory)
  const { streams } = await ours("streams", directory)
  report.equal(
    `${side} driver: StreamStat and millrace streams show the same positions`,
    { name: "millrace", value: TheirTools.byStream(streams.map(TheirTools.streamOfOurs)) },
    { name: "java", value: TheirTools.byStream(TheirTools.streams(text)) }
  )
}

const compareBacklogs = async ({ report }: Context, side: Side, directory: string): Promise<void> => {
  const text = await theirs("BacklogStat", directory)
  const { streams } = await ours("backlog", directory)
  report.equal(
    `${side} driver: BacklogStat and millrace backlog show the same backlogs`,
    { name: "millrace", value: TheirTools.byStream(streams.map(TheirTools.backlogOfOurs)) },
    { name: "java", value: TheirTools.byStream(TheirTools.backlogs(text)) }
  )
}

const compareErrors = async ({ report }: Context, side: Side, directory: string): Promise<void> => {
  const shown = TheirTools.errors(await theirs("ErrorStat", directory))
  const { errors } = await ours("errors", directory)
  report.equal(
    `${side} driver: ErrorStat and millrace errors show the same errors`,
    { name: "millrace", value: errors.map(TheirTools.errorOfOurs) },
    { name: "java", value: shown }
  )
  report.holds(
    `${side} driver: ErrorStat shows the unknown host`,
    shown.some(({ text }) => text.includes("no.such.host")),
    ""
  )
}

const compareLosses = async ({ report }: Context, side: Side, directory: string): Promise<void> => {
  const shown = TheirTools.losses(await theirs("LossStat", directory))
  const { losses } = await ours("loss", directory)
  report.equal(
    `${side} driver: LossStat and millrace loss show the same losses`,
    { name: "millrace", value: losses.map(TheirTools.lossOfOurs) },
    { name: "java", value: shown }
  )
  report.holds(
    `${side} driver: LossStat shows the loss`,
    shown.some(({ streamId }) => streamId === 3003),
    ""
  )
}

const compareLogs = async (context: Context, side: Side, directory: string): Promise<void> => {
  for (const folder of ["publications", "images"]) {
    const files = readdirSync(join(directory, folder)).map((name) => join(directory, folder, name))
    await check(
      context,
      `${side} driver: LogInspector and millrace log show the same frames of ${folder}`,
      async () => {
        for (const file of files) {
          const shown = TheirTools.frames(await theirs("LogInspector", directory, [file]))
          const process = cli(["log", file, "--json"])
          await process.end("")
          TheirTools.assertSameFrames(process.output, shown, file)
        }
      }
    )
  }
}
