import { assert, describe, it } from "vitest"
import { ColdBytes } from "../../src/mapped/ColdBytes.ts"

const PART = 128 * 1024
const END = 100 * PART
const LATER = 11_000_000_000

describe("ColdBytes", () => {
  it("has bytes brought in that nobody has touched, once", () => {
    const cold = new ColdBytes()
    const range = cold.rangeOf(PART + 5, 100, END, 0)!
    assert.deepStrictEqual(range, { position: PART, length: PART, wanted: { position: PART + 5, length: 100 } })
    cold.onWarm(range, 0)
    assert.isUndefined(cold.rangeOf(PART + 5, 100, END, 1))
    assert.isUndefined(cold.rangeOf(2 * PART - 1, 1, END, 1))
    assert.isDefined(cold.rangeOf(2 * PART - 1, 2, END, 1))
  })

  it("takes more at a time from who reads one part behind the other, and never beyond the end", () => {
    const cold = new ColdBytes()
    cold.onWarm(cold.rangeOf(0, 1, END, 0)!, 0)
    const wanted = { position: PART, length: 1 }
    assert.deepStrictEqual(cold.rangeOf(PART, 1, END, 1), { position: PART, length: 16 * PART, wanted })
    assert.deepStrictEqual(cold.rangeOf(PART, 1, PART + 7, 1), { position: PART, length: 7, wanted })
  })

  it("covers a long record whole", () => {
    const cold = new ColdBytes()
    const wanted = { position: PART - 1, length: 3 * PART }
    assert.deepStrictEqual(cold.rangeOf(PART - 1, 3 * PART, END, 0), { position: 0, length: 4 * PART, wanted })
  })

  it("forgets what it has brought in, because the system may have dropped it", () => {
    const cold = new ColdBytes()
    cold.onWarm(cold.rangeOf(0, 1, END, 0)!, 0)
    assert.isUndefined(cold.rangeOf(0, 1, END, LATER - 2_000_000_000))
    assert.isDefined(cold.rangeOf(0, 1, END, LATER))
  })

  it("has bytes brought in again that could not be, and no others", () => {
    const cold = new ColdBytes()
    cold.onWarm({ position: 0, length: 3 * PART }, 0)
    cold.onFailed({ position: PART, length: PART })
    assert.isUndefined(cold.rangeOf(0, PART, END, 1))
    assert.isDefined(cold.rangeOf(PART, 1, END, 1))
    assert.isUndefined(cold.rangeOf(2 * PART, PART, END, 1))
  })

  it("remembers no more parts than it has room for, and then begins anew", () => {
    const cold = new ColdBytes()
    cold.onWarm({ position: 0, length: 65_537 * PART }, 0)
    assert.isUndefined(cold.rangeOf(0, 1, 10 ** 12, 1))
    cold.onWarm({ position: 10 ** 11, length: 1 }, 1)
    assert.isDefined(cold.rangeOf(0, 1, 10 ** 12, 1))
  })

  it("leaves alone what this process has written, but not for ever", () => {
    const cold = new ColdBytes()
    cold.writtenFrom = 2 * PART
    assert.isDefined(cold.rangeOf(2 * PART - 1, 1, END, 0))
    assert.isUndefined(cold.rangeOf(2 * PART, 90 * PART, END, 0))
    assert.isDefined(cold.rangeOf(2 * PART, 1, 10_000 * PART, 0))
  })
})
