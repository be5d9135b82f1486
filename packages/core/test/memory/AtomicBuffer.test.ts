import { assert, describe, it } from "vitest"
import { AssertionError } from "../../src/memory/Assert.ts"
import { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { assertOpen, RegionClosed } from "../../src/memory/RegionState.ts"

describe("AtomicBuffer", () => {
  it("shows the same little-endian bytes in each of its views", () => {
    const buffer = new HeapRegion("test", 64).buffer(8, 32)
    buffer.int64[1] = 0x0102030405060708n
    assert.deepStrictEqual([...buffer.bytes.subarray(8, 16)], [8, 7, 6, 5, 4, 3, 2, 1])
    assert.strictEqual(buffer.int32[2], 0x05060708)
    assert.strictEqual(buffer.view.getInt32(12, true), 0x01020304)
    assert.deepStrictEqual(
      [buffer.length, buffer.bytes.length, buffer.int32.length, buffer.int64.length],
      [32, 32, 8, 4]
    )
  })

  it("covers whole words only where its length is no multiple of 8", () => {
    const buffer = new HeapRegion("test", 64).buffer(0, 15)
    assert.deepStrictEqual([buffer.bytes.length, buffer.int32.length, buffer.int64.length], [15, 3, 1])
    assert.throws(() => Atomics.load(buffer.int64, 1), RangeError)
  })

  it("slices into windows over the same bytes", () => {
    const region = new HeapRegion("test", 64)
    const slice = region.buffer(16, 48).slice(8, 8)
    slice.bytes[0] = 5
    assert.strictEqual(region.buffer().bytes[24], 5)
    assert.strictEqual(slice.length, 8)
    assert.strictEqual(slice.state, region.state)
  })

  it("refuses a window that reaches outside or is not aligned", () => {
    const buffer = new HeapRegion("test", 64).buffer()
    for (const [offset, length] of [
      [-8, 8],
      [0, -1],
      [56, 9],
      [64, 1],
      [4, 4]
    ] as const) {
      assert.throws(() => new AtomicBuffer(buffer.state, buffer.bytes.buffer, offset, length), AssertionError)
    }
    assert.throws(() => buffer.slice(60, 8), AssertionError)
    assert.strictEqual(buffer.slice(64, 0).length, 0)
  })
})

describe("HeapRegion", () => {
  it("is shared by every region over its memory", () => {
    const first = new HeapRegion("first", 64)
    const second = new HeapRegion("second", first.memory)
    first.buffer().int32[3] = 9
    assert.strictEqual(second.buffer().int32[3], 9)
    assert.strictEqual(second.length, 64)
  })

  it("is closed by its state, for itself alone", () => {
    const first = new HeapRegion("first", 64)
    const second = new HeapRegion("second", first.memory)
    const buffer = first.buffer()
    first.close()
    first.close()
    assert.throws(() => first.buffer(), RegionClosed, "region first is closed")
    assert.throws(() => buffer.slice(0, 8), RegionClosed)
    assert.throws(() => assertOpen(buffer.state), RegionClosed)
    assert.strictEqual(second.buffer().length, 64)
  })
})
