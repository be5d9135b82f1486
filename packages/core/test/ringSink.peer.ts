import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as RingBuffer from "../src/RingBuffer.ts"

/** A process of its own that writes ten thousand numbered messages of one type into a ring in a file. */
const program = Effect.gen(function* () {
  const [path, typeId] = process.argv.slice(2)
  const ring = yield* RingBuffer.map(path!)
  yield* RingBuffer.nextCorrelationId(ring)
  yield* Stream.range(0, 9999).pipe(
    Stream.map((sequence) => ({ typeId: Number(typeId), payload: new Uint8Array(Int32Array.of(sequence).buffer) })),
    Stream.run(RingBuffer.sink(ring))
  )
})

await Effect.runPromise(Effect.scoped(program))
process.disconnect?.()
