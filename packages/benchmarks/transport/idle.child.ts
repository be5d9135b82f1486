/**
 * A process that idles and tells how much of the processor it took: `driver directory idle media threading`, or
 * `client directory channel streamId`, which also tells when a message came.
 */
import { parent } from "#harness/Peer"
import * as IdleStrategy from "@millrace/core/IdleStrategy"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import type { MediaDriverOptions } from "@millrace/transport/MediaDriverConfig"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const strategies = {
  park: IdleStrategy.park(),
  backoff: IdleStrategy.backoff(),
  sleeping: IdleStrategy.sleeping(1_000_000),
  yielding: IdleStrategy.yielding,
  busySpin: IdleStrategy.busySpin
}

const [role, directory, ...rest] = process.argv.slice(2)
const benchmark = parent()

const answer = Effect.gen(function* () {
  yield* Effect.promise(() => benchmark.receive())
  const { system, user } = process.cpuUsage()
  benchmark.send({ cpuMicros: system + user })
})

const serve = Effect.sync(() => benchmark.send({ isReady: true })).pipe(Effect.andThen(Effect.forever(answer)))

const driver = Effect.suspend(() => {
  const [idle, media, threading] = rest
  return Effect.andThen(MediaDriver.MediaDriver, serve).pipe(
    Effect.provide(
      MediaDriver.layer({
        directory: directory!,
        idle: strategies[idle as keyof typeof strategies],
        media: media as NonNullable<MediaDriverOptions["media"]>,
        threading: threading as NonNullable<MediaDriverOptions["threading"]>,
        dirDeleteOnShutdown: true,
        termBufferLength: 64 * 1024
      })
    )
  )
})

const client = Effect.gen(function* () {
  const [channel, streamId] = rest
  const subscription = yield* Subscription.make({ channel: channel!, streamId: Number(streamId) })
  yield* subscription.stream.pipe(
    Stream.runForEach(() => Effect.sync(() => benchmark.send({ atNs: process.hrtime.bigint() }))),
    Effect.forkScoped
  )
  yield* serve
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory! })))

await (role === "driver" ? Effect.runPromise(driver) : Effect.runPromise(client))
