/** Streams over real sockets of this machine: within one driver, and between two drivers of two processes. */
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import * as ExclusivePublication from "../src/ExclusivePublication.ts"
import type { FragmentBatch } from "../src/FragmentBatch.ts"
import type { MediaDriverOptions } from "../src/MediaDriverConfig.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, freePort, reasonOf, textOf, until } from "./fixtures/embedded.ts"
import { startScript } from "@millrace/testkit/runScript"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const driverProcess = new URL("fixtures/driverProcess.ts", import.meta.url)
const resourcesProcess = new URL("fixtures/resourcesProcess.ts", import.meta.url)
const publisherProcess = new URL("fixtures/publisherProcess.ts", import.meta.url)

type Media = NonNullable<MediaDriverOptions["media"]>
const medias: ReadonlyArray<Media> = process.platform === "linux" ? ["native", "portable"] : ["portable"]

type Threading = NonNullable<MediaDriverOptions["threading"]>
/** Node's own sockets belong to one thread. */
const threadings = (media: Media): ReadonlyArray<Threading> =>
  media === "native" ? ["shared", "sharedNetwork", "dedicated", "invoker"] : ["shared", "invoker"]

const options = (media: Media): MediaDriverOptions => ({ media, termBufferLength: 64 * 1024 })

/** Checks that numbers follow each other, and counts them. */
const counting = () => {
  let next = 0
  return {
    count: () => next,
    take: (batch: FragmentBatch): void => {
      const view = new DataView(batch.buffer.buffer, batch.buffer.byteOffset, batch.buffer.byteLength)
      for (let index = 0; index < batch.count; index++) {
        assert.strictEqual(view.getFloat64(batch.offsets[index]!, true), next)
        next++
      }
    }
  }
}

const driver = (media: Media, ...more: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const directory = join(temporaryDirectory(), "driver")
    const child = startScript(driverProcess, [directory, `media=${JSON.stringify(media)}`, ...more])
    await child.line("ready")
    return { child, directory }
  })

describe.each(medias)("UDP by %s sockets", (media) => {
  it.live("carries messages within one driver, short ones and fragmented ones", () =>
    Effect.gen(function* () {
      const channel = `aeron:udp?endpoint=localhost:${yield* freePort()}`
      const subscription = yield* Subscription.make({ channel, streamId: 1001 })
      const publication = yield* Publication.make({ channel, streamId: 1001 })
      const sent = Array.from({ length: 500 }, (_, index) => `${index}`.padEnd(index % 10 === 0 ? 7000 : 40, "."))
      yield* Effect.forkScoped(publication.publishMany(sent.map(bytesOf)))
      const received = yield* Stream.runCollect(Stream.take(subscription.stream, sent.length))
      assert.deepStrictEqual(received.map(textOf), sent)
    }).pipe(Effect.scoped, Effect.provide(embedded(options(media))))
  )

  it.live("carries messages over IPv6", () =>
    Effect.gen(function* () {
      const channel = `aeron:udp?endpoint=[::1]:${yield* freePort("::1")}`
      const subscription = yield* Subscription.make({ channel, streamId: 1001 })
      const publication = yield* ExclusivePublication.make({ channel, streamId: 1001 })
      yield* Effect.forkScoped(publication.publish(bytesOf("six")))
      const [message] = yield* Stream.runCollect(Stream.take(subscription.stream, 1))
      assert.strictEqual(textOf(message!), "six")
    }).pipe(Effect.scoped, Effect.provide(embedded(options(media))))
  )

  it.live("carries a stream between two drivers of two processes, whole and in order", () =>
    Effect.gen(function* () {
      const channel = `aeron:udp?endpoint=localhost:${yield* freePort()}|term-length=64k`
      const [from, to] = [yield* driver(media), yield* driver(media)]
      const numbers = counting()
      const publisher = startScript(publisherProcess, [from.directory, channel, "1001", "100000"])
      yield* Effect.gen(function* () {
        const subscription = yield* Subscription.make({ channel, streamId: 1001 })
        yield* subscription.borrowedBatches.pipe(
          Stream.tap((batch) => Effect.sync(() => numbers.take(batch))),
          Stream.takeUntil(() => numbers.count() === 100_000),
          Stream.runDrain
        )
      }).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: to.directory })))
      const ended = yield* Effect.promise(() => publisher.ended)
      assert.strictEqual(ended.stdout, "flowing\npublished\n")
    })
  )

  it.live.each(threadings(media))("leaves no socket, mapping or directory behind, with threading %s", (threading) =>
    Effect.gen(function* () {
      for (const ending of ["completed", "interrupted"]) {
        const channel = `aeron:udp?endpoint=localhost:${yield* freePort()}`
        const { stderr, stdout } = yield* Effect.promise(
          () => startScript(resourcesProcess, [threading, ending, channel, media]).ended
        )
        assert.strictEqual(stderr, "")
        assert.deepStrictEqual(JSON.parse(stdout), { mappings: 0, descriptors: 0, directories: 0, active: [] }, ending)
      }
    })
  )

  it.live("refuses an endpoint that another socket has, naming it", () =>
    Effect.gen(function* () {
      const taken = createSocket("udp4").bind(0, "127.0.0.1")
      yield* Effect.promise(() => once(taken, "listening"))
      const { port } = taken.address()
      const reason = yield* reasonOf(
        Effect.asVoid(Subscription.make({ channel: `aeron:udp?endpoint=localhost:${port}`, streamId: 1001 }))
      )
      assert.include(reason.message, `${port}`)
      taken.close()
    }).pipe(Effect.scoped, Effect.provide(embedded(options(media))))
  )

  it.live("refuses a name that cannot be resolved", () =>
    Effect.gen(function* () {
      const channel = "aeron:udp?endpoint=nowhere.invalid:40123"
      const reason = yield* reasonOf(Effect.asVoid(Publication.make({ channel, streamId: 1001 })))
      assert.include(reason.message, "nowhere.invalid")
    }).pipe(Effect.scoped, Effect.provide(embedded(options(media))))
  )

  it.live("lets a publisher know when its subscriber is gone", () =>
    Effect.gen(function* () {
      const channel = `aeron:udp?endpoint=localhost:${yield* freePort()}`
      const publication = yield* Publication.make({ channel, streamId: 1001 })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Subscription.make({ channel, streamId: 1001 })
          yield* until(publication.isConnected)
        })
      )
      yield* until(Effect.map(publication.isConnected, (isConnected) => !isConnected))
    }).pipe(Effect.scoped, Effect.provide(embedded({ ...options(media), publicationConnectionTimeout: "500 millis" })))
  )
})
