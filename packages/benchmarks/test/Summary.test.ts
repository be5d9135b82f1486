import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { ratio, spread } from "../src/Summary.ts"

describe("Summary", () => {
  it("takes the middle value of an odd number of runs", () => {
    assert.deepEqual(spread([5, 1, 4, 2, 3]), { min: 1, median: 3, max: 5 })
  })

  it("takes the mean of the two middle values of an even number of runs", () => {
    assert.deepEqual(spread([4, 1, 3, 2]), { min: 1, median: 2.5, max: 4 })
  })

  it("divides each run by the run of the baseline beside it", () => {
    assert.deepEqual(ratio([10, 40, 90], [10, 20, 30]), { min: 1, median: 2, max: 3 })
  })

  it("refuses no values, and runs without their baseline", () => {
    assert.throws(() => spread([]), /no values/)
    assert.throws(() => ratio([1, 2], [1]), /2 runs .* 1 runs/)
  })
})
