/**
 * Orders go through two durable topics: placed, then priced. The worker between them keeps the position of its last
 * order in the record that it writes, so that after a stop at any point it neither loses an order nor prices one twice.
 */
import { deepStrictEqual } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { MessageStore, Topic } from "@millrace/store"
import { Console, Effect, Schema, Stream } from "effect"

const Placed = Schema.Struct({ id: Schema.Int, item: Schema.String, count: Schema.Int })
const Priced = Schema.Struct({ id: Schema.Int, cents: Schema.Int, placedAt: Schema.Int })
const PRICES: Readonly<Record<string, number>> = { tea: 450, rice: 120 }
const ORDER_COUNT = 20

const placed = Topic.make("placed", { schema: Placed, key: ({ id }) => String(id), queues: 1 })
const priced = Topic.make("priced", { schema: Priced, key: ({ id }) => String(id), queues: 1 })

/** One run of the program: the store is opened at its start and closed at its end. */
const run = Effect.provide(MessageStore.layer({ directory: "orders", flushDiskType: "SYNC_FLUSH" }))

const place = Effect.gen(function* () {
  const topic = yield* placed
  yield* Stream.range(1, ORDER_COUNT).pipe(
    Stream.map((id) => ({ id, item: id % 2 === 0 ? "tea" : "rice", count: id })),
    Stream.run(topic.sink)
  )
})

/** Where the worker stands: one behind the order that its last record was made from. */
const resumeFrom = Effect.gen(function* () {
  const topic = yield* priced
  const last = yield* topic.stream({ from: "earliest", live: false }).pipe(Stream.runLast)
  return last._tag === "Some" ? last.value.value.placedAt + 1 : 0
})

/** Prices `count` orders and stops, as a worker does that is sent away in the middle. */
const work = Effect.fn("work")(function* (count: number) {
  const from = yield* resumeFrom
  const source = yield* placed
  const target = yield* priced
  yield* source.stream({ from: new Map([[0, from]]) }).pipe(
    Stream.take(count),
    Stream.map(({ queueOffset, value: { count, id, item } }) => ({
      id,
      cents: PRICES[item]! * count,
      placedAt: queueOffset
    })),
    Stream.run(target.sink)
  )
  yield* Console.log(`priced ${count} orders, from the one at ${from}`)
})

const program = Effect.gen(function* () {
  yield* place.pipe(run)
  yield* work(7).pipe(run)
  yield* work(ORDER_COUNT - 7).pipe(run)
  const ids = yield* Effect.gen(function* () {
    const topic = yield* priced
    return yield* topic.stream({ from: "earliest", live: false }).pipe(
      Stream.map(({ value }) => value.id),
      Stream.runCollect
    )
  }).pipe(run)
  deepStrictEqual(
    ids,
    Array.from({ length: ORDER_COUNT }, (_, index) => index + 1)
  )
})

NodeRuntime.runMain(program)
