import { assert, describe, it } from "vitest"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { Int64Halves } from "../../src/memory/Int64Halves.ts"
import { beforeNext } from "./Meanwhile.ts"

const fieldOf = (value: bigint) => {
  const buffer = new HeapRegion("test", 16).buffer()
  buffer.int64[1] = value
  const halves = new Int64Halves()
  halves.loadMonotonic(buffer, 8)
  return { buffer, halves }
}

describe("Int64Halves", () => {
  it("reads again what another thread carries from half to half meanwhile", () => {
    const { buffer, halves } = fieldOf(0xffff_ffe0n)
    beforeNext("load", () => (buffer.int64[1] = 0x1_0000_0020n))
    halves.loadMonotonic(buffer, 8)
    assert.deepStrictEqual([halves.high, halves.low], [1, 0x20])
  })

  it("takes a position that is negative or beyond 2^53 for one that no number holds", () => {
    assert.isTrue(fieldOf(2n ** 53n - 8n).halves.isExact)
    assert.isFalse(fieldOf(2n ** 53n).halves.isExact)
    assert.isFalse(fieldOf(-8n).halves.isExact)
  })

  it("moves a field only while it holds what was read", () => {
    const { buffer, halves } = fieldOf(0xffff_ffe0n)
    assert.isTrue(halves.compareAndAdd(buffer, 8, 64))
    assert.strictEqual(buffer.int64[1], 0x1_0000_0020n)
    assert.isFalse(halves.compareAndAdd(buffer, 8, 64))
    assert.isFalse(halves.compareAndAddLow(buffer, 8, 64))
    assert.strictEqual(buffer.int64[1], 0x1_0000_0020n)
  })

  it("says of a low half that went round 4 GiB since it was read that it was another", () => {
    const { buffer, halves } = fieldOf(0x40n)
    buffer.int64[1] = 0x1_0000_0040n
    assert.isFalse(halves.compareAndAddLow(buffer, 8, 64))
  })
})
