import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { byteLines } from "../../src/internal/byteLines.ts"

const linesOf = (chunks: ReadonlyArray<string | Uint8Array>, lengthMax = 100) =>
  Stream.fromIterable(chunks).pipe(
    Stream.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk, "latin1") : chunk)),
    Stream.rechunk(1),
    (bytes) => byteLines(bytes, lengthMax),
    Stream.map((line) => Buffer.from(line).toString("latin1")),
    Stream.runCollect
  )

describe("byteLines", () => {
  it.effect("joins a line that came in several chunks", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* linesOf(["ab", "c", "d\ne", "f\n"]), ["abcd", "ef"])
    })
  )

  it.effect("gives an empty message for an empty line and for nothing else", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* linesOf(["\n\na\n"]), ["", "", "a"])
      assert.deepStrictEqual(yield* linesOf([]), [])
    })
  )

  it.effect("gives the last line also without its line feed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* linesOf(["a\nb"]), ["a", "b"])
    })
  )

  it.effect("passes carriage returns and bytes that are not UTF-8", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* linesOf(["a\r\n\xff\xfe\n"]), ["a\r", "\xff\xfe"])
    })
  )

  it.effect("refuses a line as soon as it is too long, naming it", () =>
    Effect.gen(function* () {
      const endless = Stream.concat(
        Stream.succeed(Buffer.from("ok\n")),
        Stream.forever(Stream.succeed(Buffer.from("xxxx")))
      )
      const error = yield* Effect.flip(Stream.runDrain(byteLines(endless, 10)))
      assert.strictEqual(
        error.message,
        "standard input: line 2: longer than 10 bytes, the longest message that this stream takes"
      )
    })
  )

  it.effect("accepts a line of exactly the longest length", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* linesOf(["12345", "67890\n"], 10), ["1234567890"])
    })
  )
})
