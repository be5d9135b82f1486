import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { recordsOf } from "../../src/demo/EndOfData.ts"
import * as Envelope from "../../src/demo/Envelope.ts"

const records = Array.from({ length: 10 }, (_, n) => ({ n }))

const sent = () => {
  const tally = new Envelope.Tally()
  const messages = records.map(Envelope.encodeRecord)
  messages.forEach((message) => tally.add(message))
  return { messages, end: Envelope.encodeEnd(tally.end()) }
}

const receive = (messages: ReadonlyArray<Uint8Array>, tally = new Envelope.Tally()) =>
  Stream.runCollect(recordsOf(Stream.rechunk(Stream.fromIterable(messages), 3), tally, records.length))

describe("EndOfData", () => {
  it.effect("gives the records before the end record, and nothing that follows it", () =>
    Effect.gen(function* () {
      const { messages, end } = sent()
      assert.deepStrictEqual(yield* receive([...messages, end, messages[0]!]), records)
    })
  )

  it.effect("ends without waiting for the stream to end", () =>
    Effect.gen(function* () {
      const { messages, end } = sent()
      const unending = Stream.concat(Stream.fromIterable([...messages, end]), Stream.never)
      assert.deepStrictEqual(yield* Stream.runCollect(recordsOf(unending, new Envelope.Tally(), 10)), records)
    })
  )

  it.effect("takes an end without end record for a lost publisher and says how much came", () =>
    Effect.gen(function* () {
      const tally = new Envelope.Tally()
      const error = yield* Effect.flip(receive(sent().messages.slice(0, 7), tally))
      assert.deepInclude(error.reason, { _tag: "PublisherLost", received: 7, expected: 10 })
      assert.strictEqual(error.message, "the stream ended without its end record: 7 of 10 records were received")
      assert.strictEqual(tally.count, 7)
    })
  )

  it.effect("refuses a stream that misses a record though its end record came", () =>
    Effect.gen(function* () {
      const { messages, end } = sent()
      const error = yield* Effect.flip(receive([...messages.slice(1), end]))
      assert.strictEqual(error.reason._tag, "StreamDiffers")
      assert.match(error.message, /the end record says 10 records .* 9 with checksum/)
    })
  )

  it.effect("refuses a message that no sender of records sends", () =>
    Effect.gen(function* () {
      for (const stranger of ["", "X{}", "R{", "E{}"]) {
        const error = yield* Effect.flip(receive([sent().messages[0]!, new TextEncoder().encode(stranger)]))
        assert.strictEqual(error.message, "the stream: message 2 is neither a record nor an end record")
      }
    })
  )

  it.effect("refuses a stream whose records changed places", () =>
    Effect.gen(function* () {
      const { messages, end } = sent()
      const error = yield* Effect.flip(receive([...messages.toReversed(), end]))
      assert.strictEqual(error.reason._tag, "StreamDiffers")
    })
  )
})
