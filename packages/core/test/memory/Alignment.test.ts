import { assert, describe, it } from "vitest"
import { align, isPowerOfTwo } from "../../src/memory/Alignment.ts"

describe("Alignment", () => {
  it("rounds up to the next multiple and leaves multiples alone", () => {
    assert.deepStrictEqual(
      [0, 1, 31, 32, 33].map((value) => align(value, 32)),
      [0, 32, 32, 32, 64]
    )
  })

  it("is exact for positions beyond 32 and 53 bits", () => {
    assert.strictEqual(align(2 ** 32 + 1, 32), 2 ** 32 + 32)
    assert.strictEqual(align(2 ** 58 - 64, 64), 2 ** 58 - 64)
  })

  it("knows the powers of two that lengths may be", () => {
    for (let exponent = 0; exponent <= 30; exponent++) {
      assert.isTrue(isPowerOfTwo(2 ** exponent))
    }
    for (const value of [0, -1, -2, 3, 6, 1.5, 2 ** 31, 2 ** 32, Number.NaN]) {
      assert.isFalse(isPowerOfTwo(value), String(value))
    }
  })
})
