/**
 * Millrace's subscriber of many streams: `directory channel streamIds count length`. Prints `subscribed`, and `received
 * <sum>` when it has had `count` messages in order on each stream and nothing else. It stays until its input ends.
 */
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"
import * as Messages from "./messages.ts"

const [directory, channel, streamIds, countText, length] = process.argv.slice(2)
const count = Number(countText)
const lengths = [Number(length)]
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

const receive = (subscription: Subscription.Subscription): Effect.Effect<number, unknown> => {
  let number = 0
  return subscription.borrowedBatches.pipe(
    Stream.takeUntil((batch) => {
      for (let index = 0; index < batch.count; index++) {
        Messages.check(batch.message(index), number, lengths)
        number++
      }
      return number >= count
    }),
    Stream.runDrain,
    Effect.map(() => number)
  )
}

const program = Effect.gen(function* () {
  const subscriptions = yield* Effect.forEach(streamIds!.split(","), (streamId) =>
    Subscription.make({ channel: channel!, streamId: Number(streamId) })
  )
  process.stdout.write("subscribed\n")
  const received = yield* Effect.forEach(subscriptions, receive, { concurrency: "unbounded" })
  process.stdout.write(`received ${received.reduce((sum, number) => sum + number, 0)}\n`)
  yield* Effect.promise(() => lines.next())
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory!, clientName: "millrace-witness" })))

await Effect.runPromise(program)
