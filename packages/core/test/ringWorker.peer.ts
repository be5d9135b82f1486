import { workerData } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Region from "../src/Region.ts"
import * as RingBuffer from "../src/RingBuffer.ts"

/** A worker that writes five thousand messages, each of a type of its own, into a ring in memory it was sent. */
const program = Effect.gen(function* () {
  const region = yield* Region.heap("ring", workerData as SharedArrayBuffer)
  const ring = yield* RingBuffer.make(region)
  yield* Stream.range(1, 5000).pipe(
    Stream.map((typeId) => ({ typeId, payload: new Uint8Array(typeId % 500) })),
    Stream.run(RingBuffer.sink(ring))
  )
})

await Effect.runPromise(Effect.scoped(program))
