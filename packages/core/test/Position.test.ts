import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AssertionError } from "../src/memory/Assert.ts"
import * as Position from "../src/Position.ts"

const TERMS = { termLength: 64 * 1024, initialTermId: 2 ** 31 - 1 }

const AnyPosition = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 53 - 1 }))

describe("Position", () => {
  it("prints every digit up to 2^58, where numbers print rounded", () => {
    assert.strictEqual(Position.format(0), "0")
    assert.strictEqual(Position.format(2 ** 53 + 32), "9007199254741024")
    assert.strictEqual(Position.format(2 ** 58 - 32), "288230376151711712")
    assert.strictEqual(Position.format(Position.MAX), "288230376151711744")
  })

  it("refuses to print what is no position", () => {
    for (const value of [-32, 1, 31, 2 ** 59, NaN, Infinity, 0.5]) {
      assert.throws(() => Position.format(value), AssertionError)
      assert.isFalse(Position.isPosition(value))
    }
  })

  it.prop("reads what it prints", [AnyPosition], ([multiple]) => {
    const position = multiple * 32
    assert.deepStrictEqual(Position.parse(Position.format(position)), Option.some(position))
  })

  it("reads nothing else", () => {
    for (const text of [
      "",
      "-32",
      "+32",
      " 32",
      "32 ",
      "1e3",
      "0x20",
      "33",
      "288230376151711745",
      "999999999999999968",
      "٣٢"
    ]) {
      assert.deepStrictEqual(Position.parse(text), Option.none(), text)
    }
  })

  it("reads a number of many digits exactly, not rounded to a position", () => {
    assert.deepStrictEqual(Position.parse("288230376151711713"), Option.none())
    assert.deepStrictEqual(Position.parse("288230376151711712"), Option.some(2 ** 58 - 32))
  })

  it("is a schema between text and number", () => {
    assert.strictEqual(Schema.decodeUnknownSync(Position.FromString)("9007199254741024"), 2 ** 53 + 32)
    assert.strictEqual(Schema.encodeSync(Position.FromString)(2 ** 58 - 32), "288230376151711712")
    assert.throws(() => Schema.decodeUnknownSync(Position.FromString)("33"), "multiple of 32")
    assert.throws(() => Schema.decodeUnknownSync(Position.Position)(33), "multiple of 32")
  })

  it.prop("goes from a position to a place in a term and back", [AnyPosition], ([multiple]) => {
    const position = (multiple * 32) % Position.maxOf(TERMS.termLength)
    const place = Position.toTerm(TERMS, position)
    assert.strictEqual(Position.fromTerm(TERMS, place), position)
    assert.isBelow(place.termOffset, TERMS.termLength)
  })

  it("ends with the term ids of short terms and at 2^58 with long ones", () => {
    assert.strictEqual(Position.maxOf(64 * 1024), 2 ** 47)
    assert.strictEqual(Position.maxOf(2 ** 30), Position.MAX)
    assert.deepStrictEqual(Position.toTerm(TERMS, 64 * 1024 + 32), { termId: -(2 ** 31), termOffset: 32 })
  })
})
