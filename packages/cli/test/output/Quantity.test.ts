import { assert, describe, it } from "vitest"
import * as Quantity from "../../src/output/Quantity.ts"

describe("Quantity", () => {
  it("groups thousands the same way everywhere", () => {
    assert.strictEqual(Quantity.grouped(0), "0")
    assert.strictEqual(Quantity.grouped(1234567), "1,234,567")
    assert.strictEqual(Quantity.grouped(1234.6), "1,235")
  })

  it("prints bytes in decimal units with one decimal below a hundred", () => {
    assert.strictEqual(Quantity.bytes(0), "0 B")
    assert.strictEqual(Quantity.bytes(999), "999 B")
    assert.strictEqual(Quantity.bytes(1784867), "1.8 MB")
    assert.strictEqual(Quantity.bytes(123_456), "123 kB")
    assert.strictEqual(Quantity.bytes(999_999), "1.0 MB")
    assert.strictEqual(Quantity.bytes(5e15), "5000 TB")
  })

  it("prints durations from milliseconds to minutes", () => {
    assert.strictEqual(Quantity.duration(850.4), "850 ms")
    assert.strictEqual(Quantity.duration(12_345), "12.3 s")
    assert.strictEqual(Quantity.duration(125_000), "2 min 05 s")
    assert.strictEqual(Quantity.duration(119_700), "2 min 00 s")
  })

  it("gives a finite rate for work that took no time", () => {
    assert.strictEqual(Quantity.perSecond(500, 0), 500_000)
    assert.strictEqual(Quantity.perSecond(20_000, 400), 50_000)
  })

  it("names one thing in the singular", () => {
    assert.strictEqual(Quantity.plural(1, "file"), "1 file")
    assert.strictEqual(Quantity.plural(1200, "file"), "1,200 files")
  })
})
