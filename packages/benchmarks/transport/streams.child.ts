/** Reads many streams: `directory channel firstStreamId streamCount`. It is told how many messages a run has. */
import { parent } from "#harness/Peer"
import * as Client from "@millrace/transport/Client"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"

const [directory, channel, firstStreamId, streamCount] = process.argv.slice(2)
const bench = parent()
const POLL_LIMIT = 64
/** Streams that are added at once: so many logs are made by the driver at a time. */
const CONCURRENCY = 16

const program = Effect.gen(function* () {
  const streamIds = Array.from({ length: Number(streamCount) }, (_, index) => Number(firstStreamId) + index)
  const subscriptions = yield* Effect.forEach(
    streamIds,
    (streamId) => Subscription.make({ channel: channel!, streamId }),
    { concurrency: CONCURRENCY }
  )
  let sum = 0
  const polls = subscriptions.map((subscription) =>
    subscription.poll((bytes, offset) => {
      sum += bytes[offset]!
    }, POLL_LIMIT)
  )
  bench.send("open")
  for (;;) {
    const { count } = yield* Effect.promise(() => bench.receive<{ readonly count: number }>())
    if (count === 0) {
      return
    }
    bench.send("ready")
    for (let received = 0; received < count;) {
      for (const poll of polls) {
        received += yield* poll
      }
    }
    bench.send({ sum })
  }
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory! })))

await Effect.runPromise(program)
bench.close()
