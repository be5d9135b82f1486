/**
 * Record and replay: a recorder keeps everything that a publisher sends, and a reader that joins late gets it all, first
 * from the recording and then live, each message once. The recorded past is then sent again, into another stream.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { MessageStore, Recorder, Replayer } from "@millrace/store"
import { Client, MediaDriver, Publication, Subscription } from "@millrace/transport"
import { Console, Effect, Fiber, Schedule, Stream } from "effect"

const prices = { channel: "aeron:ipc", streamId: 1001 }
const again = { channel: "aeron:ipc", streamId: 1002 }

const COUNT = 500
const numbers = (from: number, to: number) => Array.from({ length: to + 1 - from }, (_, index) => from + index)
const encode = (number: number) => new TextEncoder().encode(String(number))
const decode = (payload: Uint8Array) => Number(new TextDecoder().decode(payload))

const record = Effect.gen(function* () {
  const live = yield* Subscription.make(prices)
  const recorder = yield* Recorder.make("prices")
  yield* live.borrowedMessages.pipe(Stream.run(recorder.sink))
})

const joinLate = Effect.gen(function* () {
  const live = yield* Subscription.make(prices)
  const replayer = yield* Replayer.make("prices")
  const all = replayer.merge(live.messages, { from: "earliest" }).pipe(Stream.take(COUNT))
  return yield* Stream.runCollect(Stream.map(all, ({ payload }) => decode(payload)))
})

const program = Effect.gen(function* () {
  const publication = yield* Publication.make(prices)
  yield* Effect.forkScoped(record)
  const send = (from: number, to: number) =>
    Stream.fromIterable(numbers(from, to)).pipe(
      Stream.map(encode),
      Stream.grouped(10),
      Stream.schedule(Schedule.spaced("2 millis")),
      Stream.flattenIterable,
      Stream.run(publication.sink)
    )
  const sending = yield* Effect.forkScoped(send(1, COUNT))
  yield* Effect.sleep("50 millis")

  const seen = yield* joinLate
  deepStrictEqual(seen, numbers(1, COUNT))
  yield* Console.log(`the late joiner has all ${seen.length} messages, each once`)
  yield* Fiber.join(sending)

  const replayer = yield* Replayer.make("prices")
  const [session] = yield* replayer.sessions
  const target = yield* Publication.make(again)
  const reader = yield* Subscription.make(again)
  const reading = yield* Effect.forkScoped(Stream.runCollect(Stream.take(reader.stream, 100)))
  const middle = { position: session!.position / 2 }
  yield* Effect.forkScoped(replayer.replayTo(target.sink, { from: middle }))
  const replayed = (yield* Fiber.join(reading)).map(decode)
  strictEqual(replayed[99]! - replayed[0]!, 99)
  yield* Console.log(`from position ${middle.position} on it is ${replayed[0]}, ${replayed[1]}, …`)
})

program.pipe(
  Effect.scoped,
  Effect.provide([MessageStore.layer({ directory: "recordings" }), Client.layer]),
  Effect.provide(MediaDriver.layerEmbedded()),
  NodeRuntime.runMain
)
