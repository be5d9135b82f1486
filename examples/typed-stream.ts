/**
 * Values by their schema over a stream that strangers use too: in Effect's binary form, and what does not decode is left
 * out or looked at, as the reader likes.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Channel, Client, MediaDriver, Publication, Subscription } from "@millrace/transport"
import { Console, Effect, Fiber, Result, Schema, Stream } from "effect"

const Reading = Schema.Struct({
  sensor: Schema.String,
  celsius: Schema.Finite,
  taken: Schema.Date
})

const line = { channel: Channel.ipc({ termLength: 64 * 1024, alias: "readings" }), streamId: 7 }

const program = Effect.gen(function* () {
  const subscription = yield* Subscription.make(line)
  const publication = yield* Publication.make(line)
  const readings = publication.typed(Reading, { format: "binary" })

  const received = yield* subscription
    .typedResults(Reading, { format: "binary" })
    .pipe(Stream.take(3), Stream.runCollect, Effect.forkScoped)
  yield* readings.publish({ sensor: "roof", celsius: -3.5, taken: new Date(0) })
  yield* publication.publish(new TextEncoder().encode("not a reading"))
  yield* readings.publish({ sensor: "cellar", celsius: 11, taken: new Date(1) })

  const results = yield* Fiber.join(received)
  for (const result of results) {
    yield* Result.match(result, {
      onSuccess: ({ celsius, sensor }) => Console.log(`${sensor}: ${celsius} °C`),
      onFailure: (failure) => Console.log(`left out: ${failure.message}`)
    })
  }
  deepStrictEqual(results.map(Result.isSuccess), [true, false, true])
  strictEqual(publication.channel, line.channel.uri)
})

program.pipe(
  Effect.scoped,
  Effect.provide(Client.layer),
  Effect.provide(MediaDriver.layerEmbedded()),
  NodeRuntime.runMain
)
