import { assert, describe, it } from "@effect/vitest"
import { sparkline } from "../../src/output/Sparkline.ts"

describe("sparkline", () => {
  it("draws the highest value in full height and nothing at the foot", () => {
    assert.strictEqual(sparkline([0, 1, 50, 100], 4), "▁▂▅█")
  })

  it("keeps to its width: the newest values at the right, blanks where there are none yet", () => {
    assert.strictEqual(sparkline([9, 9, 9, 0, 9], 3), "█▁█")
    assert.strictEqual(sparkline([5], 4), "   █")
    assert.strictEqual(sparkline([], 2), "  ")
    assert.strictEqual(sparkline([1, 2], 0), "")
  })

  it("draws nothing but feet where nothing happened", () => {
    assert.strictEqual(sparkline([0, 0, 0], 3), "▁▁▁")
  })
})
