/**
 * One process of ours: `role directory channel streamId length [channel streamId]`, the second pair for answers. It says
 * that it is open; then the parent says how many messages a run has, and it answers when it is ready and when it is done.
 */
import { parent } from "#harness/Peer"
import * as Client from "@millrace/transport/Client"
import * as ExclusivePublication from "@millrace/transport/ExclusivePublication"
import type { FragmentBatch } from "@millrace/transport/FragmentBatch"
import * as Publication from "@millrace/transport/Publication"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as RoundTrips from "./roundTrips.shared.ts"
import { BATCH_COUNT, type Role, type Run } from "./peers.shared.ts"

const [role, directory, channel, streamIdText, lengthText, backChannel, backStreamId] = process.argv.slice(2)
const streamId = Number(streamIdText)
const length = Number(lengthText)
const bench = parent()

/** Keeps the bytes of every message in use. */
let sum = 0

/** Runs until the parent asks for no messages. */
const serve = Effect.fnUntraced(function* <E>(run: (count: number) => Effect.Effect<unknown, E>) {
  bench.send("open")
  for (;;) {
    const { count } = yield* Effect.promise(() => bench.receive<Run>())
    if (count === 0) {
      return
    }
    bench.send("ready")
    bench.send(yield* run(count))
  }
})

const batchOf = (sent: number, count: number): number => Math.min(BATCH_COUNT, count - sent)

const publishBatches = Effect.gen(function* () {
  const publication = yield* Publication.make({ channel: channel!, streamId })
  yield* serve(
    Effect.fnUntraced(function* (count) {
      for (let sent = 0; sent < count; sent += BATCH_COUNT) {
        const first = sent
        yield* publication.publishBatch(batchOf(sent, count), length, (bytes, offset, index) => {
          bytes[offset] = first + index
          return length
        })
      }
      return {}
    })
  )
})

const publishArrays = Effect.gen(function* () {
  const publication = yield* Publication.make({ channel: channel!, streamId })
  const messages = Array.from({ length: BATCH_COUNT }, (_, index) => new Uint8Array(length).fill(index))
  yield* serve(
    Effect.fnUntraced(function* (count) {
      for (let sent = 0; sent < count; sent += BATCH_COUNT) {
        const rest = batchOf(sent, count)
        yield* publication.publishMany(rest < BATCH_COUNT ? messages.slice(0, rest) : messages)
      }
      return {}
    })
  )
})

const add = (batch: FragmentBatch): number => {
  for (let index = 0; index < batch.count; index++) {
    sum += batch.buffer[batch.offsets[index]!]!
  }
  return batch.count
}

const subscribeBatches = Effect.gen(function* () {
  const subscription = yield* Subscription.make({ channel: channel!, streamId })
  yield* serve((count) => {
    let read = 0
    return subscription.borrowedBatches.pipe(
      Stream.takeUntil((batch) => (read += add(batch)) >= count),
      Stream.runDrain,
      Effect.map(() => ({ sum }))
    )
  })
})

const subscribeStream = Effect.gen(function* () {
  const subscription = yield* Subscription.make({ channel: channel!, streamId })
  yield* serve((count) => {
    let read = 0
    return subscription.stream.pipe(
      Stream.mapArray((messages) => {
        for (const message of messages) {
          sum += message[0]!
        }
        read += messages.length
        return [read] as const
      }),
      Stream.takeUntil((read) => read >= count),
      Stream.runDrain,
      Effect.map(() => ({ sum }))
    )
  })
})

const ping = Effect.gen(function* () {
  const publication = yield* ExclusivePublication.make({ channel: channel!, streamId })
  const subscription = yield* Subscription.make({ channel: backChannel!, streamId: Number(backStreamId) })
  const message = new Uint8Array(length)
  let received = 0
  const onMessage = (): void => {
    received++
  }
  const roundTrip = (): void => {
    received = 0
    RoundTrips.offer(publication, message)
    while (received === 0) {
      subscription.pollUnsafe(onMessage, 1)
    }
  }
  yield* serve((count) =>
    Effect.map(RoundTrips.connected(publication, subscription), () => RoundTrips.measure(count, roundTrip))
  )
})

const pong = Effect.gen(function* () {
  const subscription = yield* Subscription.make({ channel: channel!, streamId })
  const publication = yield* ExclusivePublication.make({ channel: backChannel!, streamId: Number(backStreamId) })
  const answer = RoundTrips.echo(publication, length)
  yield* serve((count) =>
    Effect.map(RoundTrips.connected(publication, subscription), () => {
      for (let received = 0; received < count;) {
        received += subscription.pollUnsafe(answer, 1)
      }
      return {}
    })
  )
})

const roles = { publishBatches, publishArrays, subscribeBatches, subscribeStream, ping, pong } satisfies Record<
  Role,
  unknown
>

await Effect.runPromise(
  roles[role as Role].pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory! })))
)
bench.close()
