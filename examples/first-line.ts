import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { MessageStore, Topic } from "@millrace/store"
import { Client, MediaDriver, Publication, Subscription } from "@millrace/transport"
import { Console, Effect, Schema, Stream } from "effect"

const Trade = Schema.Struct({ symbol: Schema.String, price: Schema.Finite })
const line = { channel: "aeron:ipc", streamId: 1001 }

const publisher = Effect.gen(function* () {
  const trades = yield* Publication.make(line)
  yield* Stream.make({ symbol: "ABC", price: 41.5 }, { symbol: "XYZ", price: 7 }).pipe(
    Stream.run(trades.typed(Trade).sink)
  )
})
const recorder = Effect.gen(function* () {
  const trades = yield* Subscription.make(line)
  const topic = yield* Topic.make("trades", { schema: Trade, key: (trade) => trade.symbol })
  yield* trades.typed(Trade).pipe(Stream.run(topic.sink), Effect.forkScoped) // a subscription never ends by itself
  const stored = topic.stream({ from: "earliest" }).pipe(Stream.take(2)) // history, then live: no gap, no duplicate
  yield* Stream.runForEach(stored, ({ value }) => Console.log(value))
})
Effect.all([publisher, recorder], { concurrency: "unbounded", discard: true }).pipe(
  Effect.scoped,
  Effect.provide([MessageStore.layer({ directory: "trades" }), Client.layer]),
  Effect.provide(MediaDriver.layerEmbedded()),
  NodeRuntime.runMain
)
