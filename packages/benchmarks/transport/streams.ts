/**
 * What a message costs when there are many streams: 64 messages on each in turn, from one process to another over shared
 * memory, with terms as short as they can be.
 */
import { type Bench, group } from "#harness/Group"
import { forkPeer } from "#harness/Peer"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Publication from "@millrace/transport/Publication"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

const LENGTH = 32
const CHANNEL = "aeron:ipc?term-length=64k"
const FIRST_STREAM_ID = 10_000
const BURST = 64
/** Streams that are added at once: so many logs are made by the driver at a time. */
const CONCURRENCY = 16
const COUNT = 1_280_000
const SMOKE_COUNT = 64_000

const open = async (streamCount: number): Promise<Bench> => {
  const scope = Effect.runSync(Scope.make())
  const layer = Layer.provideMerge(Client.layer, MediaDriver.layerEmbedded())
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const { directory } = await Effect.runPromise(Effect.provide(MediaDriver.MediaDriver, context))
  const args = [directory, CHANNEL, String(FIRST_STREAM_ID), String(streamCount)]
  const peer = forkPeer(import.meta.url, "./streams.child.ts", args)
  await peer.receive()
  const publications = await Effect.runPromise(
    Effect.forEach(
      Array.from({ length: streamCount }, (_, index) => FIRST_STREAM_ID + index),
      (streamId) => Publication.make({ channel: CHANNEL, streamId }),
      { concurrency: CONCURRENCY }
    ).pipe(Scope.provide(scope), Effect.provide(context))
  )
  const publish = Effect.fnUntraced(function* (count: number) {
    for (let sent = 0; sent < count;) {
      for (const publication of publications) {
        yield* publication.publishBatch(BURST, LENGTH, (bytes, offset, index) => {
          bytes[offset] = index
          return LENGTH
        })
        sent += BURST
      }
    }
  })
  return {
    run: async (count) => {
      const perRound = BURST * streamCount
      const operations = Math.ceil(count / perRound) * perRound
      peer.send({ count: operations })
      await peer.receive()
      const startNs = process.hrtime.bigint()
      await Effect.runPromise(publish(operations))
      await peer.receive()
      return { operations, elapsedNs: Number(process.hrtime.bigint() - startNs) }
    },
    close: async () => {
      peer.send({ count: 0 })
      await peer.exited
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

const measured = (streamCount: number, goal?: string) => ({
  bytes: LENGTH,
  count: COUNT,
  smokeCount: SMOKE_COUNT,
  open: () => open(streamCount),
  ...(goal === undefined ? {} : { goal })
})

export default group("transport/streams", {
  baseline: "one",
  cases: {
    one: measured(1),
    "a-thousand": measured(1000, "at most 1.2 times the cost of one")
  }
})
