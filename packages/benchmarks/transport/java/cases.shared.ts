/**
 * Ours beside Java's, and C's where it is given: messages from one process to another, and round trips between two, each
 * side with its own driver. Where there is no Java its rows are left out, and it says why.
 */
import { group, type Bench, type Case, type Group } from "#harness/Group"
import { forkPeer, type Peer } from "#harness/Peer"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Client from "@millrace/transport/Client"
import * as ExclusivePublication from "@millrace/transport/ExclusivePublication"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { c } from "./c.shared.ts"
import { type Aeron, begin, java, javaAbsence } from "./java.shared.ts"
import { PING_STREAM_ID, PONG_STREAM_ID, type Role, STREAM_ID } from "./peers.shared.ts"
import * as RoundTrips from "./roundTrips.shared.ts"

/** The cases of a group are open at the same time: each has channels of its own. */
type Channel = () => Promise<string>

export interface Line {
  readonly channel: Channel
  readonly length: number
}

export const ipc: Channel = async () => "aeron:ipc?term-length=4m"

/**
 * The longest buffers that the system gives sockets, 4 MiB at most, and windows of half of them: with the 128 KiB that
 * Aeron's drivers begin with, streams on few cores wait for each other's turn, theirs and ours.
 */
const windows = (() => {
  const limits = ["rmem_max", "wmem_max"].map((name) => `/proc/sys/net/core/${name}`)
  if (!limits.every((file) => fs.existsSync(file))) {
    return ""
  }
  const length = Math.min(4 * 1024 * 1024, ...limits.map((file) => Number(fs.readFileSync(file, "utf8"))))
  return `|rcv-wnd=${length >>> 1}|so-rcvbuf=${length}|so-sndbuf=${length}`
})()

export const udp: Channel = async () => {
  const socket = createSocket("udp4").bind(0, "127.0.0.1")
  await once(socket, "listening")
  const { port } = socket.address()
  socket.close()
  return `aeron:udp?endpoint=127.0.0.1:${port}|term-length=4m${windows}`
}

const temporaryDirectory = (): string =>
  fs.mkdtempSync(join(fs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "millrace-bench-"))

/** Our driver in a worker of this process, and processes of ours as its clients. */
const withOurDriver = async (
  open: (fork: (role: Role, args: ReadonlyArray<string>) => Promise<Peer>) => Promise<Bench>
): Promise<Bench> => {
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(MediaDriver.layerEmbedded(), scope))
  const { directory } = await Effect.runPromise(Effect.provide(MediaDriver.MediaDriver, context))
  const peers: Array<Peer> = []
  const bench = await open(async (role, args) => {
    const peer = forkPeer(import.meta.url, "./peers.child.ts", [role, directory, ...args])
    peers.push(peer)
    await peer.receive()
    return peer
  })
  return {
    run: (count) => bench.run(count),
    close: async () => {
      for (const peer of peers) {
        peer.send({ count: 0 })
      }
      await Promise.all(peers.map(({ exited }) => exited))
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

const elapsed = (startNs: bigint): number => Number(process.hrtime.bigint() - startNs)

export const openOurs = (publish: Role, subscribe: Role, { channel, length }: Line): Promise<Bench> =>
  withOurDriver(async (fork) => {
    const args = [await channel(), String(STREAM_ID), String(length)]
    const subscriber = await fork(subscribe, args)
    const publisher = await fork(publish, args)
    return {
      run: async (count) => {
        for (const peer of [subscriber, publisher]) {
          peer.send({ count })
        }
        const startNs = process.hrtime.bigint()
        await Promise.all([subscriber.receive(), publisher.receive()])
        await subscriber.receive()
        const elapsedNs = elapsed(startNs)
        await publisher.receive()
        return { operations: count, elapsedNs }
      }
    }
  })

const pingArgs = async ({ channel, length }: Line): Promise<ReadonlyArray<string>> => [
  await channel(),
  String(PING_STREAM_ID),
  String(length),
  await channel(),
  String(PONG_STREAM_ID)
]

export const openOurPing = (line: Line): Promise<Bench> =>
  withOurDriver(async (fork) => {
    const args = await pingArgs(line)
    const pong = await fork("pong", args)
    const ping = await fork("ping", args)
    return {
      run: async (count) => {
        pong.send({ count })
        await pong.receive()
        ping.send({ count })
        await ping.receive()
        const times = await ping.receive<RoundTrips.RoundTripTimes>()
        await pong.receive()
        return RoundTrips.measurementOf(count, times)
      }
    }
  })

/** Both ends in this process, and the driver in its worker: a program that talks to itself by the network. */
const openEmbeddedPing = async ({ channel, length }: Line): Promise<Bench> => {
  const scope = Effect.runSync(Scope.make())
  const layer = Layer.provideMerge(Client.layer, MediaDriver.layerEmbedded())
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const there = { channel: await channel(), streamId: PING_STREAM_ID }
  const back = { channel: await channel(), streamId: PONG_STREAM_ID }
  const open = Effect.all({
    pings: Subscription.make(there),
    pongs: Subscription.make(back),
    ping: ExclusivePublication.make(there),
    pong: ExclusivePublication.make(back)
  })
  const { ping, pings, pong, pongs } = await Effect.runPromise(open.pipe(Scope.provide(scope), Effect.provide(context)))
  const message = new Uint8Array(length)
  const answer = RoundTrips.echo(pong, length)
  let received = 0
  const onMessage = (): void => {
    received++
  }
  const roundTrip = (): void => {
    received = 0
    RoundTrips.offer(ping, message)
    while (received === 0) {
      pings.pollUnsafe(answer, 1)
      pongs.pollUnsafe(onMessage, 1)
    }
  }
  await Effect.runPromise(RoundTrips.connected(ping, pings, pong, pongs))
  return {
    run: (count) => RoundTrips.measurementOf(count, RoundTrips.measure(count, roundTrip)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Aeron's driver and clients, each a process. */
const withAeronsDriver = async (
  aeron: Aeron,
  open: (directory: string) => Promise<{ readonly bench: Bench; readonly end: () => Promise<unknown> }>
): Promise<Bench> => {
  const directory = temporaryDirectory()
  const driver = aeron.startDriver(directory)
  const { bench, end } = await open(directory)
  return {
    run: (count) => bench.run(count),
    close: async () => {
      await end()
      await driver.end()
      fs.rmSync(directory, { recursive: true, force: true })
    }
  }
}

const openAeron = (aeron: Aeron, { channel, length }: Line): Promise<Bench> =>
  withAeronsDriver(aeron, async (directory) => {
    const args = [directory, await channel(), String(STREAM_ID), String(length)]
    const subscriber = await aeron.startBench("subscribe", args)
    const publisher = await aeron.startBench("publish", args)
    const run = async (count: number) => {
      const startNs = process.hrtime.bigint()
      await Promise.all([begin(subscriber, count), begin(publisher, count)])
      await subscriber.line()
      const elapsedNs = elapsed(startNs)
      await publisher.line()
      return { operations: count, elapsedNs }
    }
    return { bench: { run }, end: () => Promise.all([publisher.end(), subscriber.end()]) }
  })

const openAeronPing = (aeron: Aeron, line: Line): Promise<Bench> =>
  withAeronsDriver(aeron, async (directory) => {
    const args = [directory, ...(await pingArgs(line))]
    const pong = await aeron.startBench("pong", args)
    const ping = await aeron.startBench("ping", args)
    const run = async (count: number) => {
      await begin(pong, count)
      await begin(ping, count)
      const [, p50, p99, p999] = (await ping.line()).split(" ").map(Number)
      await pong.line()
      return RoundTrips.measurementOf(count, { p50: p50!, p99: p99!, p999: p999! })
    }
    return { bench: { run }, end: () => Promise.all([ping.end(), pong.end()]) }
  })

export const openJava = (line: Line): Promise<Bench> => openAeron(java, line)

export const openJavaPing = (line: Line): Promise<Bench> => openAeronPing(java, line)

export const absence = javaAbsence()
if (absence !== undefined) {
  process.stderr.write(`transport/java: the rows of Java are left out: ${absence}\n`)
}

/** A group whose cases are ratios to Java's, where there is Java. C's is beside them, where it is given. */
const beside = (name: string, of: (aeron: Aeron) => Case, ours: Readonly<Record<string, Case>>): Group => {
  const cases = c === undefined ? ours : { c: of(c), ...ours }
  return absence === undefined
    ? group(`transport/java/${name}`, { baseline: "java", cases: { java: of(java), ...cases } })
    : group(`transport/java/${name}`, { cases })
}

export const measured = (open: () => Promise<Bench>, bytes: number, count: number, goal?: string): Case => ({
  bytes,
  count,
  smokeCount: 100,
  open,
  ...(goal === undefined ? {} : { goal })
})

export const streams = (name: string, line: Line, count: number, goals: Readonly<Record<string, string>>): Group =>
  beside(name, (aeron) => measured(() => openAeron(aeron, line), line.length, count), {
    "offerBatch-batches": measured(
      () => openOurs("publishBatches", "subscribeBatches", line),
      line.length,
      count,
      goals["batches"]
    ),
    "offerMany-stream": measured(
      () => openOurs("publishArrays", "subscribeStream", line),
      line.length,
      count,
      goals["stream"]
    )
  })

export const pings = (name: string, line: Line, count: number, goal: string): Group =>
  beside(name, (aeron) => measured(() => openAeronPing(aeron, line), line.length, count), {
    millrace: measured(() => openOurPing(line), line.length, count, goal)
  })

/** As `pings`, with a case of one process, which Java's program has not. */
export const networkPings = (name: string, line: Line, count: number, goals: { readonly embedded: string }): Group =>
  beside(name, (aeron) => measured(() => openAeronPing(aeron, line), line.length, count), {
    millrace: measured(() => openOurPing(line), line.length, count),
    "millrace-embedded": measured(() => openEmbeddedPing(line), line.length, count, goals.embedded)
  })
