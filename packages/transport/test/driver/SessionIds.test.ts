import { assert, describe, it } from "@effect/vitest"
import { SessionIds } from "../../src/driver/SessionIds.ts"

const CHANNEL = "udp"
const GREATEST = 2 ** 31 - 1
const LEAST = -(2 ** 31)

describe("SessionIds", () => {
  it("go on with the least one behind the greatest, and around those in use and reserved", () => {
    const ids = new SessionIds(GREATEST - 1, { reservedLow: LEAST + 1, reservedHigh: LEAST + 10 })
    ids.add(GREATEST, 1001, CHANNEL)
    const next = Array.from({ length: 3 }, () => ids.nextFor(1001, CHANNEL))
    assert.deepStrictEqual(next, [GREATEST - 1, LEAST, LEAST + 11])
  })

  it("go on with the least one when the greatest are reserved", () => {
    const ids = new SessionIds(GREATEST - 5, { reservedLow: GREATEST - 5, reservedHigh: GREATEST })
    assert.strictEqual(ids.nextFor(1001, CHANNEL), LEAST)
  })

  it("are free of the stream on every channel where that is asked for", () => {
    const ids = new SessionIds(5, { reservedLow: -1, reservedHigh: 1 })
    ids.add(5, 1001, CHANNEL)
    ids.add(6, 1001, "other")
    ids.add(7, 1002, CHANNEL)
    assert.strictEqual(ids.nextForAnyChannel(1001), 7)
  })

  it("are one stream's own: another stream or channel may have the same", () => {
    const ids = new SessionIds(5, { reservedLow: -1, reservedHigh: 1 })
    ids.add(5, 1001, CHANNEL)
    assert.strictEqual(ids.nextFor(1002, CHANNEL), 5)
    assert.isFalse(ids.isActive(5, 1001, "other"))
    ids.remove(5, 1001, CHANNEL)
    assert.isFalse(ids.isActive(5, 1001, CHANNEL))
  })
})
