import { assert, describe, it } from "vitest"
import * as Plot from "../../src/output/Plot.ts"

describe("Plot", () => {
  it("draws the maximum as a full bar and its half as half of one", () => {
    assert.strictEqual(Plot.bar(8, 8, 4), "████")
    assert.strictEqual(Plot.bar(4, 8, 4), "██")
  })

  it("draws steps of an eighth of a character", () => {
    assert.strictEqual(Plot.bar(9, 64, 8), "█▏")
    assert.strictEqual(Plot.bar(15, 64, 8), "█▉")
  })

  it("never draws a positive value as nothing, nor anything else as something", () => {
    assert.strictEqual(Plot.bar(1, 1_000_000, 10), "▏")
    assert.strictEqual(Plot.bar(0, 10, 10), "")
    assert.strictEqual(Plot.bar(-3, 10, 10), "")
    assert.strictEqual(Plot.bar(Number.NaN, 10, 10), "")
  })

  it("keeps a value above the maximum inside the width", () => {
    assert.strictEqual(Plot.bar(20, 10, 3), "███")
  })

  it("fills a gauge only when all is done", () => {
    assert.deepStrictEqual(Plot.gauge(0, 10, 4), ["", "░░░░"])
    assert.deepStrictEqual(Plot.gauge(9, 10, 4), ["███", "░"])
    assert.deepStrictEqual(Plot.gauge(10, 10, 4), ["████", ""])
    assert.deepStrictEqual(Plot.gauge(0, 0, 2), ["", "░░"])
  })
})
