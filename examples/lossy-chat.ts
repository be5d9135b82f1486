/**
 * A chat between two drivers over UDP on a network that loses one datagram in ten, on purpose and by a seed: what was lost
 * is asked for again, and every line arrives once and in order.
 */
import { deepStrictEqual } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Client, MediaDriver, Publication, Subscription } from "@millrace/transport"
import { Console, Effect, Layer, Schema, Stream } from "effect"

const Line = Schema.Struct({ from: Schema.String, text: Schema.String })
const LINE_COUNT = 200

/** Each side listens at a port of its own, and sends to that of the other. */
const endpoints = { ann: "127.0.0.1:20456", ben: "127.0.0.1:20457" } as const
type Name = keyof typeof endpoints

/** A driver with its client, as if on another machine. */
const host = Client.layer.pipe(
  Layer.provideMerge(MediaDriver.layerEmbedded({ receiveDataLossRate: 0.1, receiveDataLossSeed: 42n }))
)

const chat = (me: Name, other: Name) =>
  Effect.gen(function* () {
    const heard = yield* Subscription.make({ channel: `aeron:udp?endpoint=${endpoints[me]}`, streamId: 10 })
    const said = yield* Publication.make({ channel: `aeron:udp?endpoint=${endpoints[other]}`, streamId: 10 })
    const saying = Stream.range(1, LINE_COUNT).pipe(
      Stream.map((n) => ({ from: me, text: `line ${n}` })),
      Stream.run(said.typed(Line).sink)
    )
    const hearing = heard.typed(Line).pipe(Stream.take(LINE_COUNT), Stream.runCollect)
    const [lines] = yield* Effect.all([hearing, saying], { concurrency: "unbounded" })
    yield* Console.log(`${me} heard ${lines.length} lines of ${lines[0]!.from}`)
    return lines.map(({ text }) => text)
  }).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  // Both hosts are there until both have heard everything: what is lost at the end is sent again as well.
  const ann = yield* Layer.build(Layer.fresh(host))
  const ben = yield* Layer.build(Layer.fresh(host))
  const [heardByAnn, heardByBen] = yield* Effect.all(
    [Effect.provide(chat("ann", "ben"), ann), Effect.provide(chat("ben", "ann"), ben)],
    { concurrency: "unbounded" }
  )
  const expected = Array.from({ length: LINE_COUNT }, (_, index) => `line ${index + 1}`)
  deepStrictEqual(heardByAnn, expected)
  deepStrictEqual(heardByBen, expected)
})

program.pipe(Effect.scoped, NodeRuntime.runMain)
