/**
 * A process of ours is killed in the middle of messages and batches on a living driver, Aeron's and ours: one stream
 * for every store at which it can die. Publishers of both sides that share the streams go on behind it. Subscribers of
 * both sides must get what was published before and after, and nothing of what was abandoned; the logs must hold what
 * our unblocker makes of such a death.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { LogBuffers } from "../../packages/core/src/logbuffer/LogBuffers.ts"
import { TermAppender } from "../../packages/core/src/logbuffer/TermAppender.ts"
import { HeapRegion } from "../../packages/core/src/memory/HeapRegion.ts"
import { TERM_LENGTH } from "../../packages/core/test/logbuffer/testLog.ts"
import type { Context } from "../Part.ts"
import * as Deaths from "./Deaths.ts"
import * as LogWalk from "./LogWalk.ts"
import { java, millrace, type Process } from "./Process.ts"
import { client, type Peer, type Side, withDrivers } from "./Streams.ts"

/** A driver that gives up a client soon, and an abandoned claim soon after. */
const TIMEOUTS = {
  "aeron.client.liveness.timeout": "3000ms",
  "aeron.publication.unblock.timeout": "4000ms",
  "aeron.timer.interval": "100ms"
}

/** The streams begin where all that is published fits in the term, and the long batch alone does not. */
const START = TERM_LENGTH - 1152
const INITIAL_TERM_ID = 7
const CHANNEL =
  `aeron:ipc?term-length=${TERM_LENGTH}|mtu=${Deaths.MTU_LENGTH}|init-term-id=${INITIAL_TERM_ID}` +
  `|term-id=${INITIAL_TERM_ID}|term-offset=${START}`

const MESSAGE_LENGTH = 40
const EARLIER_COUNT = 2
const LATER_COUNT = 3
const FIRST_STREAM_ID = 2001
const WRITERS: ReadonlyArray<Deaths.WriterName> = ["message", "message of three fragments", "batch", "long batch"]

interface AbandonedStream {
  readonly name: string
  readonly streamId: number
  readonly death: Deaths.Death
  /** Who goes on behind the dead one. */
  readonly survivor: Side
}

export const run = async (context: Context, _count: number, peer: Peer): Promise<void> => {
  for (const side of [peer, "millrace"] as const) {
    await withDrivers([side], (directory) => checkDriver(context, side, directory, [peer, "millrace"]), {
      [side]: TIMEOUTS
    })
  }
}

/** A stream for each death, with the publishers of both sides in turn. */
const streamsOf = (sides: ReadonlyArray<Side>): ReadonlyArray<AbandonedStream> =>
  WRITERS.flatMap((writer) => Deaths.deathsOf(writer, logWithEarlier)).map((death, index) => ({
    name: `${death.writer}, dead before store ${death.steps}`,
    streamId: FIRST_STREAM_ID + index,
    death,
    survivor: sides[index % sides.length]!
  }))

const checkDriver = async (
  context: Context,
  side: Side,
  directory: string,
  sides: ReadonlyArray<Side>
): Promise<void> => {
  const { report } = context
  const streams = streamsOf(sides)
  const title = `${side} driver: ${streams.length} abandoned claims`
  const idsOf = (chosen: ReadonlyArray<AbandonedStream>): string => chosen.map(({ streamId }) => streamId).join(",")
  const witnesses = sides.map((of) =>
    start(of, "witness", [directory, CHANNEL, idsOf(streams), EARLIER_COUNT + LATER_COUNT, MESSAGE_LENGTH])
  )
  await Promise.all(witnesses.map((witness) => witness.line("subscribed")))
  const abandoner = millrace("abandoner", [
    directory,
    CHANNEL,
    String(EARLIER_COUNT),
    String(MESSAGE_LENGTH),
    JSON.stringify(streams)
  ])
  await abandoner.line("published")
  const survivors = sides.map((of) => {
    const shared = idsOf(streams.filter(({ survivor }) => survivor === of))
    return start(of, "survivor", [directory, CHANNEL, shared, EARLIER_COUNT, LATER_COUNT, MESSAGE_LENGTH])
  })
  await Promise.all(survivors.map((survivor) => survivor.line("added")))
  await tell(abandoner, "abandon", "abandoned")
  await abandoner.stop("SIGKILL")
  await Promise.all(survivors.map((survivor) => tell(survivor, "publish", "published")))
  for (const witness of witnesses) {
    const subject = `${title}: ${witness.name} gets what was published before and after, and nothing else`
    await report.attempt(subject, async () => {
      await witness.line(`received ${streams.length * (EARLIER_COUNT + LATER_COUNT)}`)
      report.holds(subject, true, "")
    })
  }
  await checkLogs(context, title, directory, streams)
  await Promise.all([...survivors, ...witnesses].map((process) => process.finish()))
}

const tell = async (program: Process, text: string, answer: string): Promise<void> => {
  program.say(text)
  await program.line(answer)
}

const start = (side: Side, program: "witness" | "survivor", args: ReadonlyArray<string | number>): Process =>
  client(side, program, args.map(String))

/**
 * What lies in the logs, and what the driver has counted. The programs still hold the streams, and what they publish is
 * less than an eighth of the window: a driver cleans what all have read after that, and when no subscriber is left.
 */
const checkLogs = async (
  { report }: Context,
  title: string,
  directory: string,
  streams: ReadonlyArray<AbandonedStream>
): Promise<void> => {
  const expected = streams.map(({ death }) => framesAfter(death))
  const found = framesByStream(directory)
  const named = (framesOf: (stream: AbandonedStream, index: number) => string | undefined) =>
    Object.fromEntries(streams.map((stream, index) => [stream.name, framesOf(stream, index)]))
  report.equal(
    `${title}: frames of the logs`,
    { name: "driver", value: named(({ streamId }) => found.get(streamId)) },
    { name: "our unblocker", value: named((_, index) => expected[index]!.replaceAll("u ", "")) }
  )
  const stat = java("AeronStat", "io.aeron.samples.AeronStat", ["watch=false"], { "aeron.dir": directory })
  await stat.end("CnC v0.2.0")
  report.equal(
    `${title}: counters`,
    {
      name: "driver",
      value: {
        unblocked: counterOf(stat.output, "Unblocked Publications"),
        dead: counterOf(stat.output, "Client liveness timeouts")
      }
    },
    { name: "expected", value: { unblocked: expected.join(" ").split("u ").length - 1, dead: 1 } }
  )
}

const counterOf = (output: string, label: string): number =>
  Number(new RegExp(`([0-9,]+) - ${label}`).exec(output)?.[1]?.replaceAll(",", ""))

/** What our unblocker makes of a death, as `LogWalk` says it. */
const framesAfter = (death: Deaths.Death): string => {
  const log = logWithEarlier()
  Deaths.die(log, death)
  publish(log, LATER_COUNT)
  return LogWalk.unblocked(log, START)
}

const logWithEarlier = (): LogBuffers => {
  const log = Deaths.emptyLog(START)
  publish(log, EARLIER_COUNT)
  return log
}

const publish = (log: LogBuffers, count: number): void => {
  const appender = new TermAppender(log)
  for (let sent = 0; sent < count; sent++) {
    Deaths.append(() => appender.append(new Uint8Array(MESSAGE_LENGTH), 0, MESSAGE_LENGTH))
  }
}

const framesByStream = (directory: string): ReadonlyMap<number, string> => {
  const logs = join(directory, "publications")
  return new Map(
    readdirSync(logs).map((name) => {
      const bytes = readFileSync(join(logs, name))
      const region = new HeapRegion(name, bytes.length)
      region.buffer().bytes.set(bytes)
      const log = new LogBuffers(region)
      return [log.streamId, LogWalk.frames(log, START)]
    })
  )
}
