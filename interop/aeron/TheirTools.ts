/** Aeron's tools, and what they and ours print, brought to one form. */
import assert from "node:assert/strict"
import * as CPeer from "./CPeer.ts"
import { java } from "./Process.ts"
import type { Peer } from "./Streams.ts"

/** Those that C has; the others are Java's alone. */
const OF_C: Readonly<Record<string, (directory: string) => ReadonlyArray<string>>> = {
  AeronStat: (directory) => ["-d", directory, "-w", "false"],
  ErrorStat: (directory) => ["-d", directory],
  LossStat: (directory) => ["-d", directory],
  DriverTool: (directory) => ["-d", directory, "-T"]
}

const JAVA_ARGS: Readonly<Record<string, ReadonlyArray<string>>> = {
  AeronStat: ["watch=false"],
  DriverTool: ["terminate"]
}

/** By itself LogInspector ends a term at its first empty place: what a publisher has cleaned is such a place. */
const JAVA_PROPERTIES = { "aeron.log.inspector.scanOverZeroes": "true" }

/** What a tool prints of a directory; `DriverTool` ends its driver. */
export const run = async (
  peer: Peer,
  tool: string,
  directory: string,
  args: ReadonlyArray<string> = []
): Promise<string> => {
  const ofC = peer === "c" ? OF_C[tool] : undefined
  const process =
    ofC === undefined
      ? java(tool, `io.aeron.samples.${tool}`, [...(JAVA_ARGS[tool] ?? []), ...args], {
          "aeron.dir": directory,
          ...JAVA_PROPERTIES
        })
      : CPeer.sample(tool, ofC(directory))
  await process.end("")
  return process.output
}

interface Counter {
  readonly id: number
  readonly value: number
  readonly label: string
}

const numberOf = (text: string): number => Number(text.replaceAll(",", ""))

/** `   51:                     64,000 - pub-pos (concurrent): …` */
export const counters = (output: string): ReadonlyArray<Counter> =>
  [...output.matchAll(/^ *(\d+): +([-\d,]+) - (.*)$/gm)].map(([, id, value, label]) => ({
    id: Number(id),
    value: numberOf(value!),
    label: label!
  }))

interface OfStream {
  readonly stream: string
}

const streamName = (sessionId: unknown, streamId: unknown, channel: unknown): string =>
  `${String(sessionId)} ${String(streamId)} ${String(channel)}`

export const byStream = (rows: ReadonlyArray<OfStream>) => Object.fromEntries(rows.map((row) => [row.stream, row]))

const HEAD = /^sessionId=(-?\d+) streamId=(-?\d+) channel=(.*?) : ?/

/** `sessionId=… streamId=… channel=… : pub-pos (concurrent):6:64000 …` */
export const streams = (output: string): ReadonlyArray<OfStream> =>
  output.split("\n").flatMap((line) => {
    const head = HEAD.exec(line)
    if (head === null) {
      return []
    }
    const values = [...line.slice(head[0].length).matchAll(/(\S[^:]*):(-?\d+):(-?\d+)/g)]
    return [
      {
        stream: streamName(head[1], head[2], head[3]),
        counters: values
          .map(([, name, registrationId, value]) => `${name!.trim()} ${registrationId} ${value}`)
          .toSorted()
      }
    ]
  })

interface OurStream {
  readonly sessionId: number
  readonly streamId: number
  readonly channel: string
}

interface OurCounters extends OurStream {
  readonly counters: ReadonlyArray<{ readonly name: string; readonly registrationId: number; readonly value: number }>
}

export const streamOfOurs = ({ channel, counters, sessionId, streamId }: OurCounters) => ({
  stream: streamName(sessionId, streamId, channel),
  counters: counters.map(({ name, registrationId, value }) => `${name} ${registrationId} ${value}`).toSorted()
})

const NUMBERS = {
  publisher: /for publisher (\d+) the last sampled position is (-?\d+) \(~(-?\d+) bytes/,
  sender: /sender (\d+) (?:has to send (-?\d+) bytes|.*?) \((-?\d+) bytes remaining/,
  receiver: /receiver (\d+) is at position (-?\d+)/
}

const numbersIn = (text: string, pattern: RegExp): ReadonlyArray<number> | null => {
  const found = pattern.exec(text)
  return found === null ? null : found.slice(1).map((number) => Number(number ?? 0))
}

/** A head as that of StreamStat, then a line a part until the next head. Over IPC it does not show the subscribers. */
export const backlogs = (output: string): ReadonlyArray<OfStream> => {
  const parts = output.split(/^(?=sessionId=)/m).filter((part) => HEAD.test(part))
  return parts.map((part) => {
    const head = HEAD.exec(part)!
    const receiver = numbersIn(part, NUMBERS.receiver)
    return {
      stream: streamName(head[1], head[2], head[3]),
      publisher: numbersIn(part, NUMBERS.publisher),
      sender: numbersIn(part, NUMBERS.sender),
      receiver,
      subscribers: [...part.matchAll(/subscriber (\d+) has (-?\d+) backlog bytes/g)].map(
        ([, id, bytes]) => `${id} ${bytes}`
      )
    }
  })
}

interface OurPart {
  readonly registrationId: number
  readonly position: number
  readonly remaining: number
  readonly backlog: number
  readonly window: number
}

interface OurBacklog extends OurStream {
  readonly publisher: OurPart | null
  readonly sender: OurPart | null
  readonly receiver: OurPart | null
  readonly subscribers: ReadonlyArray<OurPart>
}

export const backlogOfOurs = ({
  channel,
  publisher,
  receiver,
  sender,
  sessionId,
  streamId,
  subscribers
}: OurBacklog) => ({
  stream: streamName(sessionId, streamId, channel),
  publisher: publisher && [publisher.registrationId, publisher.position, publisher.remaining],
  sender: sender && [sender.registrationId, sender.backlog, sender.window],
  receiver: receiver && [receiver.registrationId, receiver.position],
  subscribers: receiver === null ? [] : subscribers.map(({ backlog, registrationId }) => `${registrationId} ${backlog}`)
})

/** `3 observations from 2026-01-01 00:00:00.000+0000 to … for:`, then the text. Its times are those of the zone. */
export const errors = (output: string) =>
  output
    .split(/^(?=\d+ observations from )/m)
    .slice(1)
    .map((part) => {
      const [head, ...text] = part.split("\n")
      const [, count, first, last] = /^(\d+) observations from (.*?) to (.*?) for:/.exec(head!)!
      return { count: Number(count), first: timeOf(first!), last: timeOf(last!), text: firstLine(text.join("\n")) }
    })

const timeOf = (text: string): string =>
  new Date(text.replace(" ", "T").replace(/([+-]\d\d)(\d\d)$/, "$1:$2")).toISOString()

/** A stack trace follows in Java's. */
const firstLine = (text: string): string => text.trim().split("\n")[0]!.trim()

interface OurError {
  readonly count: number
  readonly first: string
  readonly last: string
  readonly text: string
}

export const errorOfOurs = ({ count, first, last, text }: OurError) => ({ count, first, last, text: firstLine(text) })

/** `1,1408,2026-01-01 00:00:00.000+0000,…,-77,1001,channel,source` */
export const losses = (output: string) =>
  output
    .split("\n")
    .filter((line) => /^\d+,\d+,/.test(line))
    .map((line) => {
      const [count, bytes, first, last, sessionId, streamId, channel, source] = line.split(",")
      return {
        count: Number(count),
        bytes: Number(bytes),
        first: timeOf(first!),
        last: timeOf(last!),
        sessionId: Number(sessionId),
        streamId: Number(streamId),
        channel,
        source
      }
    })

interface OurLoss {
  readonly observationCount: number
  readonly totalBytesLost: number
  readonly first: string
  readonly last: string
  readonly sessionId: number
  readonly streamId: number
  readonly channel: string
  readonly source: string
}

export const lossOfOurs = ({ observationCount: count, totalBytesLost: bytes, ...rest }: OurLoss) => ({
  count,
  bytes,
  ...rest
})

/** `64: DATA Header{frame-length=33 version=0 flags=11000000 type=1 term-offset=64 … term-id=… reserved-value=0}` */
export const frames = (output: string): ReadonlyArray<string> =>
  [
    ...output.matchAll(
      /^\d+: (?:DATA|PAD) Header\{frame-length=(\d+) version=0 flags=(\d+) type=(\d+) term-offset=(\d+) .*?term-id=(-?\d+) /gm
    )
  ]
    .filter(([, length]) => length !== "0")
    .map(([, length, flags, type, termOffset, termId]) =>
      [termId, termOffset, length, Number.parseInt(flags!, 2), type].join(" ")
    )

interface OurFrame {
  readonly type: string
  readonly termId: number
  readonly termOffset: number
  readonly frameLength: number
  readonly flags: number
}

/** Terms are in the order of the file in theirs, in that of the stream in ours. */
export const assertSameFrames = (output: string, shown: ReadonlyArray<string>, file: string): void => {
  const [, ...lines] = output.trimEnd().split("\n")
  const found = lines.map((line) => {
    const { flags, frameLength, termId, termOffset, type } = JSON.parse(line) as OurFrame
    return [termId, termOffset, frameLength, flags, type === "PAD" ? 0 : 1].join(" ")
  })
  assert.deepEqual(found.toSorted(), shown.toSorted(), file)
  assert(found.length > 0, `${file} has frames`)
}
