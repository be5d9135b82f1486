/**
 * Aeron's tools and ours on the same directory, that of Aeron's driver and that of ours, while its streams stand still: a
 * stream over IPC and one over UDP with messages that nobody has read, one over UDP that has lost data, and an error.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { Context } from "../Part.ts"
import type { HeldStream } from "./holder.ts"
import { cli, millrace } from "./Process.ts"
import { check, freePort, type Peer, type Side, withDrivers } from "./Streams.ts"
import * as TheirTools from "./TheirTools.ts"

const LOSS = { "aeron.debug.receive.data.loss.rate": "0.1", "aeron.debug.receive.data.loss.seed": "42" }
const JAVA_LOSS = {
  ...LOSS,
  "aeron.SendChannelEndpoint.supplier": "io.aeron.driver.ext.DebugSendChannelEndpointSupplier",
  "aeron.ReceiveChannelEndpoint.supplier": "io.aeron.driver.ext.DebugReceiveChannelEndpointSupplier"
}

/** Longer than the driver's timer, and than its heartbeats and status messages are apart: positions have settled. */
const SETTLED_MS = 1500

const C_LOSS = {
  "aeron.udp.channel.incoming.interceptors": "loss",
  "aeron.udp.channel.transport.bindings.loss.args": "rate=0.1|seed=42|recv-msg-mask=0x2"
}

/** Whose tools look at whose directory. */
interface Place {
  readonly peer: Peer
  readonly side: Side
  readonly directory: string
}

export const run = async (context: Context, _count: number, peer: Peer): Promise<void> => {
  for (const side of [peer, "millrace"] as const) {
    await withDrivers([side], (directory) => checkDriver(context, { peer, side, directory }), {
      java: JAVA_LOSS,
      c: C_LOSS,
      millrace: LOSS
    })
  }
}

const checkDriver = async (context: Context, place: Place): Promise<void> => {
  const { directory, side } = place
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
    await context.report.attempt(`${side} driver: ${compare.name}`, () => compare(context, place))
  }
  await context.report.attempt(`${side} driver: logs`, () => compareLogs(context, place))
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

interface OurCounter {
  readonly id: number
  readonly value: number
  readonly label: string
}

/** Some counters go on counting: theirs has to lie between what we see before and after. */
const compareCounters = async ({ report }: Context, { directory, peer, side }: Place): Promise<void> => {
  const { counters: before } = await ours("stat", directory)
  const shown = TheirTools.counters(await TheirTools.run(peer, "AeronStat", directory))
  const { counters: after } = await ours("stat", directory)
  const labelsOf = (counters: ReadonlyArray<OurCounter>) => counters.map(({ id, label }) => `${id} ${label}`)
  report.equal(
    `${side} driver: AeronStat and millrace stat name the same counters`,
    { name: "millrace", value: labelsOf(before) },
    { name: peer, value: labelsOf(shown) }
  )
  const outside = shown.filter(({ value }, index) => value < before[index]!.value || value > after[index]!.value)
  report.holds(
    `${side} driver: AeronStat and millrace stat show the same values`,
    outside.length === 0,
    outside.map(({ id, label, value }) => `${id} ${label}: ${value}`).join("; ")
  )
}

const compareStreams = async ({ report }: Context, { directory, peer, side }: Place): Promise<void> => {
  const text = await TheirTools.run(peer, "StreamStat", directory)
  const { streams } = await ours("streams", directory)
  report.equal(
    `${side} driver: StreamStat and millrace streams show the same positions`,
    { name: "millrace", value: TheirTools.byStream(streams.map(TheirTools.streamOfOurs)) },
    { name: peer, value: TheirTools.byStream(TheirTools.streams(text)) }
  )
}

const compareBacklogs = async ({ report }: Context, { directory, peer, side }: Place): Promise<void> => {
  const text = await TheirTools.run(peer, "BacklogStat", directory)
  const { streams } = await ours("backlog", directory)
  report.equal(
    `${side} driver: BacklogStat and millrace backlog show the same backlogs`,
    { name: "millrace", value: TheirTools.byStream(streams.map(TheirTools.backlogOfOurs)) },
    { name: peer, value: TheirTools.byStream(TheirTools.backlogs(text)) }
  )
}

const compareErrors = async ({ report }: Context, { directory, peer, side }: Place): Promise<void> => {
  const text = await TheirTools.run(peer, "ErrorStat", directory)
  const { errors } = await ours("errors", directory)
  report.equal(
    `${side} driver: ErrorStat and millrace errors show the same errors`,
    { name: "millrace", value: errors.map(TheirTools.errorOfOurs) },
    { name: peer, value: TheirTools.errors(text) }
  )
  report.holds(`${side} driver: ErrorStat shows the unknown host`, text.includes("no.such.host"), text)
}

const compareLosses = async ({ report }: Context, { directory, peer, side }: Place): Promise<void> => {
  const shown = TheirTools.losses(await TheirTools.run(peer, "LossStat", directory))
  const { losses } = await ours("loss", directory)
  report.equal(
    `${side} driver: LossStat and millrace loss show the same losses`,
    { name: "millrace", value: losses.map(TheirTools.lossOfOurs) },
    { name: peer, value: shown }
  )
  report.holds(
    `${side} driver: LossStat shows the loss`,
    shown.some(({ streamId }) => streamId === 3003),
    ""
  )
}

const compareLogs = async (context: Context, { directory, peer, side }: Place): Promise<void> => {
  for (const folder of ["publications", "images"]) {
    const files = readdirSync(join(directory, folder)).map((name) => join(directory, folder, name))
    await check(
      context,
      `${side} driver: LogInspector and millrace log show the same frames of ${folder}`,
      async () => {
        for (const file of files) {
          const shown = TheirTools.frames(await TheirTools.run(peer, "LogInspector", directory, [file]))
          const process = cli(["log", file, "--json"])
          await process.end("")
          TheirTools.assertSameFrames(process.output, shown, file)
        }
      }
    )
  }
}
