/**
 * Millrace's program that holds streams still, to be looked at by tools: `directory streams`, these as JSON. Publishes
 * `count` messages of `length` bytes on each and reads the first `read` of them, prints `held`, and stays until its
 * input ends.
 */
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"

export interface HeldStream {
  readonly channel: string
  readonly streamId: number
  readonly count: number
  readonly length: number
  readonly read: number
}

const [directory, streamList] = process.argv.slice(2)
const streams = JSON.parse(streamList!) as ReadonlyArray<HeldStream>
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

const read = Effect.fnUntraced(function* (subscription: Subscription.Subscription, count: number) {
  for (let received = 0; received < count;) {
    const polled = yield* subscription.poll(() => {}, count - received)
    received += polled
    if (polled === 0) {
      yield* Effect.sleep(1)
    }
  }
})

const hold = Effect.fnUntraced(function* ({ channel, count, length, read: readCount, streamId }: HeldStream) {
  const subscription = yield* Subscription.make({ channel, streamId })
  const publication = yield* Publication.make({ channel, streamId })
  const publishing = publication.publishMany(Array.from({ length: count }, () => new Uint8Array(length)))
  yield* Effect.all([publishing, read(subscription, readCount)], { concurrency: "unbounded" })
})

const program = Effect.gen(function* () {
  yield* Effect.forEach(streams, hold)
  process.stdout.write("held\n")
  yield* Effect.promise(() => lines.next())
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory!, clientName: "millrace-holder" })))

await Effect.runPromise(program)
