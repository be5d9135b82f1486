import { assert, describe, it } from "vitest"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"
import { RecordCursor } from "../../src/commitlog/RecordCursor.ts"
import { RecordEncoder } from "../../src/commitlog/RecordEncoder.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"
import { Slab } from "../../src/reading/Slab.ts"

const host = HostAddress.parse("127.0.0.1:1")!

const record = (bodyLength: number) => {
  const encoder = new RecordEncoder({ appendCrcProperty: false, defaultBornHost: host, defaultStoreHost: host })
  const length = encoder.encode(0, { topic: "t", body: new Uint8Array(bodyLength) }, Utf8.encode("t"), 1)
  encoder.stamp(0, length, 0, 0, 1)
  return new RecordCursor().wrap({ bytes: encoder.bytes, view: encoder.view, base: 0 }, 0)
}

describe("Slab", () => {
  it("takes no memory before the first copy, and a bounded part of what was asked for with it", () => {
    const slab = new Slab(Number.MAX_SAFE_INTEGER)
    assert.isAtMost(slab.copy(record(10)).bytes.length, 1024 * 1024)
  })

  it("takes no more for a long record than the record when little was asked for, and twice as much when one follows", () => {
    const slab = new Slab(0)
    const lengths = Array.from({ length: 4 }, () => slab.copy(record(2000)).bytes.length)
    const { totalSize } = record(2000)
    assert.deepStrictEqual(lengths, [totalSize, 2 * totalSize, 2 * totalSize, 4 * totalSize])
  })

  it("has short records of different reads in one block, each in bytes of its own", () => {
    const copies = Array.from({ length: 40 }, (_, index) => new Slab(512).copy(record(600 + index)))
    copies.forEach((copy, index) => assert.strictEqual(copy.bodyLength, 600 + index))
    const blocks = new Set(copies.map(({ bytes }) => bytes))
    assert.isAtMost(blocks.size, 4)
    const places = copies.map(({ at, bytes, totalSize }) => ({ bytes, at, end: at + totalSize }))
    for (const [index, place] of places.entries()) {
      for (const other of places.slice(index + 1)) {
        assert.isTrue(place.bytes !== other.bytes || place.end <= other.at || other.end <= place.at)
      }
    }
  })

  it("holds copies behind each other, and takes more memory when it is full", () => {
    const slab = new Slab(4096)
    const first = slab.copy(record(1000))
    const second = slab.copy(record(1000))
    assert.strictEqual(second.bytes, first.bytes)
    assert.strictEqual(second.at, first.totalSize)
    const large = slab.copy(record(100_000))
    assert.notStrictEqual(large.bytes, first.bytes)
    assert.strictEqual(large.bodyLength, 100_000)
    assert.strictEqual(first.bodyLength, 1000)
  })
})
