import { assert, describe, it } from "vitest"
import * as Columns from "../../src/demo/Columns.ts"

const none = { key: undefined, tag: undefined }
const flight = { date: "2001/01/01", delay: 66, distance: 1750, origin: "DTW", destination: "LAS" }

describe("Columns", () => {
  it("takes origin, destination and delay where there are such columns", () => {
    assert.deepStrictEqual(Columns.choose(flight, none), { key: "origin", tag: "destination", measure: "delay" })
  })

  it("takes the first column as key, the next as tag and the first with a number as measure elsewhere", () => {
    assert.deepStrictEqual(Columns.choose({ city: "Oslo", weather: "rain", wind: "4.7" }, none), {
      key: "city",
      tag: "weather",
      measure: "wind"
    })
  })

  it("has neither tag nor measure when there is one column", () => {
    assert.deepStrictEqual(Columns.choose({ city: "Oslo" }, none), { key: "city", tag: undefined, measure: undefined })
  })

  it("prefers the columns that were asked for", () => {
    const columns = Columns.choose(flight, { key: "destination", tag: "date" })
    assert.deepStrictEqual(columns, { key: "destination", tag: "date", measure: "delay" })
  })

  it("names the columns there are when one is asked for that is not", () => {
    assert.strictEqual(
      Columns.choose(flight, { key: "orgin", tag: undefined }),
      'has no column "orgin" for --key; its columns are date, delay, distance, origin, destination'
    )
    assert.strictEqual(Columns.choose({}, none), "its first record has no columns")
  })

  it("gives no text for values that are missing, null or empty", () => {
    for (const value of [undefined, null, ""]) {
      assert.strictEqual(Columns.textOf(value), undefined)
    }
    assert.strictEqual(Columns.textOf(0), "0")
    assert.strictEqual(Columns.textOf(false), "false")
    assert.strictEqual(Columns.textOf([1]), "[1]")
  })

  it("reads numbers from numbers and from their text, and from nothing else", () => {
    assert.strictEqual(Columns.numberOf(-5), -5)
    assert.strictEqual(Columns.numberOf("4.7"), 4.7)
    for (const value of ["", " ", "rain", "Infinity", null, undefined, true, [1]]) {
      assert.strictEqual(Columns.numberOf(value), undefined)
    }
  })

  it("refuses text that has no UTF-8 form or that would break the properties of a message", () => {
    assert.match(Columns.textProblem("a\ud800b") ?? "", /surrogate/)
    assert.match(Columns.textProblem("a\u0001b") ?? "", /U\+0001/)
    assert.match(Columns.textProblem("\u0002") ?? "", /U\+0002/)
    assert.strictEqual(Columns.textProblem("São Paulo 🛫"), undefined)
  })
})
