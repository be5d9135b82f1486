import { assert, describe, it } from "vitest"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"
import { RecordCursor } from "../../src/commitlog/RecordCursor.ts"
import { RecordEncoder } from "../../src/commitlog/RecordEncoder.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"
import { Slab } from "../../src/reading/Slab.ts"

const host = HostAddress.parse("127.0.0.1:1")!

const record = (bodyLength: number) => {
  const encoder = new RecordEncoder({ appendCrcProperty: false, defaultBornHost: host, defaultStoreHost: host })
  const length = encoder.encode(0, { topic: "t", body: new Uint8Array(bodyLength).fill(7) }, Utf8.encode("t"), 1)
  encoder.stamp(0, length, 0, 0, 1)
  return new RecordCursor().wrap({ bytes: encoder.bytes, view: encoder.view, base: 0 }, 0)
}

/** Memory with something in it, in the middle of a buffer. */
const allocate = (length: number): Uint8Array => new Uint8Array(new ArrayBuffer(length + 16), 8, length).fill(0xee)

const copyOf = (slab: Slab, bodyLength: number) => {
  const at = slab.copy(record(bodyLength))
  const { window } = slab
  return { at, window, end: at + record(bodyLength).totalSize }
}

const bodyOf = ({ at, window }: ReturnType<typeof copyOf>): Uint8Array => {
  const { bodyAt, bodyLength, bytes } = new RecordCursor().wrap(window, at)
  return bytes.subarray(bodyAt, bodyAt + bodyLength)
}

describe("Slab", () => {
  it("takes no memory before the first copy", () => {
    let count = 0
    const slab = new Slab((length) => {
      count++
      return allocate(length)
    })
    assert.strictEqual(count, 0)
    copyOf(slab, 10)
    copyOf(slab, 10)
    assert.strictEqual(count, 1)
  })

  it("has short records in few blocks, each in bytes of its own", () => {
    const slab = new Slab(allocate)
    const copies = Array.from({ length: 200 }, (_, index) => copyOf(slab, 600 + index))
    copies.forEach((copy, index) => assert.deepStrictEqual(bodyOf(copy), new Uint8Array(600 + index).fill(7)))
    assert.isAtMost(new Set(copies.map(({ window }) => window)).size, 6)
    for (const [index, copy] of copies.entries()) {
      for (const other of copies.slice(index + 1)) {
        assert.isTrue(copy.window !== other.window || copy.end <= other.at || other.end <= copy.at)
      }
    }
  })

  it("takes no more for a long record than the record, and fills the block that was begun with those behind it", () => {
    const slab = new Slab(allocate)
    const first = copyOf(slab, 1000)
    const long = copyOf(slab, 100_000)
    const second = copyOf(slab, 1000)
    assert.strictEqual(long.window.bytes.length, long.end)
    assert.deepStrictEqual(bodyOf(long), new Uint8Array(100_000).fill(7))
    assert.strictEqual(second.window, first.window)
    assert.strictEqual(second.at, first.end)
    assert.deepStrictEqual(bodyOf(first), new Uint8Array(1000).fill(7))
  })
})
