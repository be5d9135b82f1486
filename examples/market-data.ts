/**
 * One feed, many readers: quotes go once into shared memory, and each reader takes its own subset at its own speed. The
 * feed waits for the slowest one, so that nobody misses a quote.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Client, MediaDriver, Publication, Subscription } from "@millrace/transport"
import { Console, Effect, Fiber, Schema, Stream } from "effect"

const Quote = Schema.Struct({ symbol: Schema.String, bid: Schema.Finite, ask: Schema.Finite })
type Quote = typeof Quote.Type

const SYMBOLS = ["ABC", "LMN", "XYZ"]
const QUOTE_COUNT = 30_000

const line = { channel: "aeron:ipc?alias=quotes", streamId: 1001 }

const quoteOf = (n: number): Quote => ({ symbol: SYMBOLS[n % 3]!, bid: 100 + (n % 7), ask: 101 + (n % 7) })

const feed = Effect.gen(function* () {
  const publication = yield* Publication.make(line)
  const quotes = publication.typed(Quote, { format: "binary" })
  yield* Stream.range(0, QUOTE_COUNT - 1).pipe(Stream.map(quoteOf), Stream.run(quotes.sink))
}).pipe(Effect.scoped)

/** The quotes of the feed, from the moment the subscription is made until the feed ends. */
const subscribe = Effect.gen(function* () {
  const subscription = yield* Subscription.make(line)
  return subscription.typed(Quote, { format: "binary" }).pipe(Stream.take(QUOTE_COUNT))
})

const countOf = (symbol: string, quotes: Stream.Stream<Quote, unknown>) =>
  quotes.pipe(
    Stream.filter((quote) => quote.symbol === symbol),
    Stream.runCount
  )

const spreadOf = (quotes: Stream.Stream<Quote, unknown>) =>
  quotes.pipe(
    Stream.tap(() => Effect.yieldNow), // one that has more to do for each quote
    Stream.runFold(
      () => 0,
      (widest, { ask, bid }) => Math.max(widest, ask - bid)
    )
  )

const program = Effect.gen(function* () {
  // Every reader is there before the first quote, so each of them has all of them.
  const streams = yield* Effect.all([...SYMBOLS.map(() => subscribe), subscribe])
  const counting = yield* Effect.forkScoped(
    Effect.all(
      SYMBOLS.map((symbol, index) => countOf(symbol, streams[index]!)),
      { concurrency: "unbounded" }
    )
  )
  const widest = yield* Effect.forkScoped(spreadOf(streams.at(-1)!))
  yield* feed

  const counts = yield* Fiber.join(counting)
  yield* Console.log(`quotes: ${SYMBOLS.map((symbol, index) => `${symbol} ${counts[index]}`).join(", ")}`)
  deepStrictEqual(counts, [QUOTE_COUNT / 3, QUOTE_COUNT / 3, QUOTE_COUNT / 3])
  strictEqual(yield* Fiber.join(widest), 1)
})

program.pipe(
  Effect.scoped,
  Effect.provide(Client.layer),
  Effect.provide(MediaDriver.layerEmbedded()),
  NodeRuntime.runMain
)
