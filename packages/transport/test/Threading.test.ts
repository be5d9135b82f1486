/** What every threading of the driver keeps to: a stream over IPC and UDP, lost datagrams, deaths and revocations. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { startScript } from "@millrace/testkit/runScript"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import * as ExclusivePublication from "../src/ExclusivePublication.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import type { MediaDriverOptions } from "../src/MediaDriverConfig.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, freePort, reasonOf, textOf, until } from "./fixtures/embedded.ts"

const driverProcess = new URL("fixtures/driverProcess.ts", import.meta.url)
const publisherProcess = new URL("fixtures/publisherProcess.ts", import.meta.url)

type Threading = NonNullable<MediaDriverOptions["threading"]>
/** One process has all modes but where sockets belong to one thread. */
const threadings: ReadonlyArray<Threading> =
  process.platform === "linux" ? ["shared", "sharedNetwork", "dedicated", "invoker"] : ["shared", "invoker"]

const udp = Effect.map(freePort(), (port) => `aeron:udp?endpoint=localhost:${port}|term-length=64k`)

const numbered = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(index % 10 === 0 ? 4000 : 100, "."))

/** Sends numbered messages, several terms of them, and compares what arrives. */
const carries = (channel: string, count: number) =>
  Effect.gen(function* () {
    const subscription = yield* Subscription.make({ channel, streamId: 1001 })
    const publication = yield* Publication.make({ channel, streamId: 1001 })
    const sent = numbered(count)
    yield* Effect.forkScoped(
      Effect.forEach(sent, (text) => Stream.run(Stream.succeed(bytesOf(text)), publication.sink))
    )
    const received = yield* Stream.runCollect(Stream.take(subscription.stream, count))
    assert.deepStrictEqual(received.map(textOf), sent)
  }).pipe(Effect.scoped)

/** The option goes from the conductor to the sender and the receiver, whatever their threads are. */
const saysWhen = (channel: string) =>
  Effect.gen(function* () {
    const stream = { channel: `${channel}|channel-snd-ts-offset=0|channel-rcv-ts-offset=reserved`, streamId: 1003 }
    const subscription = yield* Subscription.make(stream)
    const publication = yield* Publication.make(stream)
    const beginNs = BigInt(Date.now()) * 1_000_000n
    yield* publication.publish(new Uint8Array(8))
    const times: Array<bigint> = []
    const poll = subscription.poll((bytes, offset, _length, { reservedValue }) => {
      times.push(new DataView(bytes.buffer, bytes.byteOffset + offset).getBigInt64(0, true), reservedValue)
    }, 1)
    yield* until(Effect.map(poll, () => times.length > 0))
    assert.isTrue(times.length === 2 && times.every((timeNs) => timeNs >= beginNs))
  }).pipe(Effect.scoped)

const tellsOfRevocation = (channel: string) =>
  Effect.gen(function* () {
    const subscription = yield* Subscription.make({ channel, streamId: 1002 })
    const publication = yield* ExclusivePublication.make({ channel, streamId: 1002 })
    yield* Stream.run(Stream.succeed(bytesOf("one")), publication.sink)
    const [image] = yield* Stream.runCollect(Stream.take(subscription.images, 1))
    yield* publication.revoke
    const reason = yield* reasonOf(Stream.runDrain(image!.stream))
    assert.strictEqual(reason._tag, "ImageRevoked")
  }).pipe(Effect.scoped)

describe.each(threadings)("a driver with threading %s", (threading) => {
  it.live("carries streams over IPC and UDP whole when datagrams are lost, and tells of a revocation", () =>
    Effect.gen(function* () {
      const channel = yield* udp
      yield* Effect.all([carries("aeron:ipc?term-length=64k", 300), carries(channel, 300)], { concurrency: 2 })
      yield* tellsOfRevocation(channel)
      yield* saysWhen(yield* udp)
    }).pipe(Effect.provide(embedded({ threading, receiveDataLossRate: 0.1, receiveDataLossSeed: 7n })))
  )
})

/** With one thread: see the tests of processes. */
const mostThreads = threadings.filter((threading) => threading === "dedicated")

describe.each(mostThreads)("a driver process with threading %s", (threading) => {
  it.live("ends the streams of a client that was killed, and itself when it is told to", () =>
    Effect.gen(function* () {
      const directory = join(temporaryDirectory(), "driver")
      const options = {
        threading,
        allowTermination: true,
        clientLivenessTimeout: 2500,
        publicationUnblockTimeout: 3000,
        timerInterval: 50
      }
      const settings = Object.entries({ ...options, publicationLingerTimeout: 100 })
      const child = startScript(driverProcess, [
        directory,
        ...settings.map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      ])
      yield* Effect.promise(() => child.line("ready"))
      const channel = yield* udp
      yield* Effect.gen(function* () {
        const subscription = yield* Subscription.make({ channel, streamId: 1001 })
        const publisher = startScript(publisherProcess, [directory, channel, "1001", "0"])
        const [image] = yield* Stream.runCollect(Stream.take(subscription.images, 1))
        yield* image!.batches.pipe(
          Stream.tap(() => Effect.sync(() => publisher.process.kill("SIGKILL"))),
          Stream.runDrain
        )
      }).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory, keepaliveInterval: 100 })))
      assert.isTrue(yield* MediaDriver.requestTermination({ directory }))
      const ended = yield* Effect.promise(() => child.ended)
      assert.strictEqual(ended.stderr, "")
      assert.strictEqual(ended.stdout, "ready\nterminated\n")
    })
  )
})

describe("a driver", () => {
  it.live.each([
    [{ threading: "SHARED" as "shared" }, "SHARED"],
    [{ threading: "sharedNetwork", media: "portable" }, "sharedNetwork"],
    [{ threading: "dedicated", media: "portable" }, "dedicated"]
  ] as ReadonlyArray<readonly [MediaDriverOptions, string]>)("is refused with %j, by the name", ([options, name]) =>
    Effect.gen(function* () {
      const reason = yield* reasonOf(Effect.scoped(Effect.asVoid(Layer.build(MediaDriver.layerEmbedded(options)))))
      assert(reason._tag === "InvalidOption")
      assert.deepStrictEqual([reason.option, reason.value], ["threading", name])
      assert.include(reason.message, "sharedNetwork, dedicated")
    })
  )
})
