/** A driver in a process of its own, which tells how much of the processor it took: `directory idle media threading`. */
import { parent } from "#harness/Peer"
import * as IdleStrategy from "@millrace/core/IdleStrategy"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import type { MediaDriverOptions } from "@millrace/transport/MediaDriverConfig"
import * as Effect from "effect/Effect"

const strategies = {
  park: IdleStrategy.park(),
  backoff: IdleStrategy.backoff(),
  sleeping: IdleStrategy.sleeping(1_000_000),
  yielding: IdleStrategy.yielding,
  busySpin: IdleStrategy.busySpin
}

const [directory, idle, media, threading] = process.argv.slice(2)
const options: MediaDriverOptions = {
  directory: directory!,
  idle: strategies[idle as keyof typeof strategies],
  media: media as NonNullable<MediaDriverOptions["media"]>,
  threading: threading as NonNullable<MediaDriverOptions["threading"]>,
  dirDeleteOnShutdown: true,
  termBufferLength: 64 * 1024
}

const benchmark = parent()

const answer = Effect.gen(function* () {
  yield* Effect.promise(() => benchmark.receive())
  const { system, user } = process.cpuUsage()
  benchmark.send({ cpuMicros: system + user })
})

await Effect.runPromise(
  Effect.gen(function* () {
    yield* MediaDriver.MediaDriver
    benchmark.send({ isReady: true })
    yield* Effect.forever(answer)
  }).pipe(Effect.provide(MediaDriver.layer(options)))
)
