/**
 * A durable topic across a restart: a reader stops in the middle, the store is closed and opened again, and the reader
 * goes on where it was. What it has to keep for that is one offset a queue.
 */
import { strictEqual } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { MessageStore, Topic } from "@millrace/store"
import { Console, Effect, Schema, Stream } from "effect"

const Order = Schema.Struct({ id: Schema.Int, customer: Schema.String, placed: Schema.Date })

const orders = Topic.make("orders", { schema: Order, key: (order) => order.customer, queues: 2 })

/** One run of a program: what it needs is opened at its start and closed at its end. */
const run = Effect.provide(MessageStore.layer({ directory: "orders" }))

/** Reads `count` orders from where a reader stands, and says where it stands then. */
const read = Effect.fn("read")(function* (from: Topic.From, count: number) {
  const topic = yield* orders
  const offsets = new Map(from instanceof Map ? from : [])
  const messages = yield* topic.stream({ from }).pipe(
    Stream.take(count),
    Stream.tap(({ queueId, queueOffset }) => Effect.sync(() => offsets.set(queueId, queueOffset + 1))),
    Stream.runCollect
  )
  return { ids: messages.map(({ value }) => value.id), offsets }
})

const program = Effect.gen(function* () {
  const first = yield* Effect.gen(function* () {
    const topic = yield* orders
    yield* Stream.range(1, 10).pipe(
      Stream.map((id) => ({ id, customer: `customer ${id % 3}`, placed: new Date() })),
      Stream.run(topic.sink)
    )
    return yield* read("earliest", 4)
  }).pipe(run)
  yield* Console.log("before the restart:", first.ids)

  const second = yield* read(first.offsets, 6).pipe(run)
  yield* Console.log("after the restart: ", second.ids)

  strictEqual(new Set([...first.ids, ...second.ids]).size, 10)
})

NodeRuntime.runMain(program)
