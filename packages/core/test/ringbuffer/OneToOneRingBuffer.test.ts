import { assert, describe, it } from "@effect/vitest"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { CAPACITY_MIN, OneToOneRingBuffer } from "../../src/ringbuffer/OneToOneRingBuffer.ts"
import { INSUFFICIENT_CAPACITY } from "../../src/ringbuffer/RingBufferDescriptor.ts"
import { suite } from "./RingBufferContract.ts"

const CAPACITY = 1024

describe("OneToOneRingBuffer", () => {
  suite({ make: (buffer) => new OneToOneRingBuffer(buffer), capacityMin: CAPACITY_MIN })
})

const positioned = (tail: number, head: number) => {
  const buffer = new HeapRegion("ring", CAPACITY + 768).buffer()
  // Old records everywhere: the consumer of this ring does not zero.
  buffer.int32.fill(0x0a0b0c0d, 0, CAPACITY / 4)
  buffer.view.setBigInt64(tail % CAPACITY, 0n, true)
  buffer.view.setBigInt64(CAPACITY + 128, BigInt(tail), true)
  buffer.view.setBigInt64(CAPACITY + 384, BigInt(head), true)
  return new OneToOneRingBuffer(buffer)
}

const headerAt = (ring: OneToOneRingBuffer, offset: number) => ring.buffer.view.getBigInt64(offset, true)

describe("OneToOneRingBuffer claims", () => {
  it("zeroes the header behind each record before it shows the record", () => {
    const ring = positioned(64, 64)
    ring.tryClaim(1, 8)
    assert.strictEqual(headerAt(ring, 80), 0n)
  })

  it("zeroes the header at the front when a record fills the end exactly", () => {
    const ring = positioned(CAPACITY - 16, CAPACITY - 64)
    assert.strictEqual(ring.tryClaim(1, 8), CAPACITY - 8)
    assert.strictEqual(ring.producerPosition, CAPACITY)
    assert.strictEqual(headerAt(ring, 0), 0n)
  })

  it("pads the end and claims at the front when the record does not fit before the end", () => {
    const ring = positioned(CAPACITY - 16, CAPACITY - 200)
    assert.strictEqual(ring.tryClaim(3, 40), 8)
    assert.strictEqual(ring.buffer.view.getInt32(CAPACITY - 16, true), 16)
    assert.strictEqual(ring.buffer.view.getInt32(CAPACITY - 12, true), -1)
    assert.strictEqual(headerAt(ring, 48), 0n)
    assert.strictEqual(ring.producerPosition, CAPACITY + 48)
  })

  it("pads the end and reports no room when the front is too short", () => {
    const ring = positioned(CAPACITY - 64, 32)
    assert.strictEqual(ring.tryClaim(3, 80), INSUFFICIENT_CAPACITY)
    assert.strictEqual(ring.producerPosition, CAPACITY)
    assert.strictEqual(headerAt(ring, 0), 0n)
    assert.strictEqual(ring.tryClaim(4, 24), INSUFFICIENT_CAPACITY, "the next header needs room as well")
    assert.strictEqual(ring.tryClaim(4, 16), 8)
  })

  it("carries its positions over 2^32", () => {
    const start = 2 ** 32 - 48
    const ring = positioned(start, start)
    for (let i = 1; i <= 6; i++) {
      assert.isTrue(ring.write(i, new Uint8Array(8), 0, 8))
    }
    const types: Array<number> = []
    while (ring.size > 0) {
      ring.read((typeId) => types.push(typeId))
    }
    assert.deepStrictEqual(types, [1, 2, 3, 4, 5, 6])
    assert.strictEqual(ring.producerPosition, start + 96)
    assert.strictEqual(ring.consumerPosition, start + 96)
  })
})
