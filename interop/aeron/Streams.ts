/** What the interop runs of Aeron are made of: drivers, publishers and subscribers of both sides, and streams between them. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Context } from "../Part.ts"
import * as CPeer from "./CPeer.ts"
import { cli, java, killAll, millrace, type Process } from "./Process.ts"

export { freePort } from "../../packages/testkit/fixtures/freePort.ts"

/** Whose driver, or whose client. */
export type Side = "java" | "c" | "millrace"

/** One of Aeron's own. */
export type Peer = Exclude<Side, "millrace">

export interface Stream {
  readonly publisher: Side
  readonly subscriber: Side
  readonly isExclusive: boolean
  /** Lengths of the messages in turn; beyond the MTU they are fragmented. */
  readonly lengths: string
}

/** Where a stream runs: the directories of its two clients are the same over IPC. */
export interface Place {
  readonly publisherDirectory: string
  readonly subscriberDirectory: string
  readonly channel: string
  readonly streamId: number
  readonly count: number
}

const SHORT = "32,100,8,1376"
const LONG = "1377,5000,40,20000"
const TERM_LENGTH = 1024 * 1024

export const driverOf = async (
  side: Side,
  directory: string,
  properties: Readonly<Record<string, string>>
): Promise<Process> => {
  const settings = { "aeron.dir": directory, "aeron.ipc.term.buffer.length": String(TERM_LENGTH), ...properties }
  if (side === "millrace") {
    const driver = cli(["driver", ...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`)])
    await driver.line("Ctrl-C stops it")
    return driver
  }
  if (side === "c") {
    return CPeer.driver({ "aeron.threading.mode": "SHARED", "aeron.shared.idle.strategy": "backoff", ...settings })
  }
  return java("driver", "io.aeron.driver.MediaDriver", [], {
    "aeron.threading.mode": "SHARED",
    "aeron.shared.idle.strategy": "org.agrona.concurrent.BackoffIdleStrategy",
    ...settings
  })
}

/** A client that each side has, by its name. */
export const client = (side: Side, name: string, args: ReadonlyArray<string>): Process => {
  if (side === "c") {
    return CPeer.client(name, args)
  }
  return side === "java"
    ? java(name, `millrace.interop.${name[0]!.toUpperCase()}${name.slice(1)}`, args)
    : millrace(name, args)
}

export const runStream = async (place: Place, stream: Stream): Promise<void> => {
  const args = [place.channel, String(place.streamId), String(place.count), stream.lengths]
  const subscriber = client(stream.subscriber, "subscriber", [place.subscriberDirectory, ...args])
  await subscriber.line("subscribed")
  const publisher = client(stream.publisher, "publisher", [
    place.publisherDirectory,
    ...args,
    String(stream.isExclusive)
  ])
  await publisher.end(`published ${place.count}`)
  await subscriber.end(`received ${place.count}`)
}

export const streamsOf = (pairs: ReadonlyArray<readonly [publisher: Side, subscriber: Side]>): ReadonlyArray<Stream> =>
  pairs.flatMap(([publisher, subscriber]) =>
    [SHORT, LONG].flatMap((lengths) =>
      [false, true].map((isExclusive) => ({ publisher, subscriber, isExclusive, lengths }))
    )
  )

export const titleOf = (where: string, { isExclusive, lengths, publisher, subscriber }: Stream): string =>
  `${where}: ${publisher} -> ${subscriber}, ${isExclusive ? "exclusive" : "concurrent"}, lengths ${lengths}`

/** Runs a check of several steps; what it throws is a failure, else it holds. */
export const check = ({ report }: Context, title: string, run: () => Promise<void>): Promise<void> =>
  report.attempt(title, async () => {
    await run()
    report.holds(title, true, "")
  })

/** Where directories of drivers belong. */
export const sharedMemory = (): string => (existsSync("/dev/shm") ? "/dev/shm" : tmpdir())

/** Drivers of these sides, each in a directory of its own, with the properties of its side. */
export const withDrivers = async (
  sides: ReadonlyArray<Side>,
  use: (...directories: ReadonlyArray<string>) => Promise<void>,
  properties: Partial<Readonly<Record<Side, Readonly<Record<string, string>>>>> = {}
): Promise<void> => {
  const directories = sides.map(() => mkdtempSync(join(sharedMemory(), "millrace-interop-")))
  try {
    const drivers = await Promise.all(
      sides.map((side, index) => driverOf(side, directories[index]!, properties[side] ?? {}))
    )
    await use(...directories)
    await Promise.all(drivers.map((driver) => driver.stop("SIGTERM")))
  } finally {
    killAll()
    for (const directory of directories) {
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
