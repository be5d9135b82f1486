/**
 * The fast face: many messages in one claim, written where they will be read, and read from one buffer by offset. Nothing
 * is allocated for a message.
 */
import { strictEqual } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Client, ExclusivePublication, type FragmentBatch, MediaDriver, Subscription } from "@millrace/transport"
import { Console, Effect, Stream } from "effect"

const MESSAGE_COUNT = 1_000_000
const MESSAGE_LENGTH = 8
const BATCH_COUNT = 1000

const line = { channel: "aeron:ipc", streamId: 1001 }

const publisher = Effect.gen(function* () {
  const publication = yield* ExclusivePublication.make(line)
  for (let first = 0; first < MESSAGE_COUNT; first += BATCH_COUNT) {
    yield* publication.publishBatch(BATCH_COUNT, MESSAGE_LENGTH, (bytes, offset, index) => {
      new DataView(bytes.buffer, bytes.byteOffset).setFloat64(offset, first + index, true)
      return MESSAGE_LENGTH
    })
  }
}).pipe(Effect.scoped)

const sumOf = ({ buffer, count, offsets }: FragmentBatch.FragmentBatch): number => {
  const view = new DataView(buffer.buffer, buffer.byteOffset)
  let sum = 0
  for (let index = 0; index < count; index++) {
    sum += view.getFloat64(offsets[index]!, true)
  }
  return sum
}

const subscriber = Effect.gen(function* () {
  const subscription = yield* Subscription.make(line)
  const images = Stream.take(subscription.images, 1)
  return yield* images.pipe(
    Stream.flatMap((image) => image.borrowedBatches), // a batch is valid until the next one is asked for
    Stream.map((batch) => ({ count: batch.count, sum: sumOf(batch) })),
    Stream.runFold(
      () => ({ count: 0, sum: 0 }),
      (total, { count, sum }) => ({ count: total.count + count, sum: total.sum + sum })
    )
  )
}).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  const [, { count, sum }] = yield* Effect.all([publisher, subscriber], { concurrency: "unbounded" })
  yield* Console.log(`${count} numbers, ${sum} in all`)
  strictEqual(count, MESSAGE_COUNT)
  strictEqual(sum, (MESSAGE_COUNT * (MESSAGE_COUNT - 1)) / 2)
})

program.pipe(Effect.provide(Client.layer), Effect.provide(MediaDriver.layerEmbedded()), NodeRuntime.runMain)
