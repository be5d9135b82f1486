import { assert, describe, it } from "@effect/vitest"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { RegionClosed } from "../../src/memory/RegionState.ts"
import { CorruptRecord } from "../../src/ringbuffer/CorruptRecord.ts"
import { CAPACITY_MIN, ManyToOneRingBuffer } from "../../src/ringbuffer/ManyToOneRingBuffer.ts"
import { INSUFFICIENT_CAPACITY } from "../../src/ringbuffer/RingBufferDescriptor.ts"
import { suite } from "./RingBufferContract.ts"
import * as SuspendedProducerSuite from "./SuspendedProducerSuite.ts"

const CAPACITY = 1024
const TAIL = CAPACITY + 128
const HEAD_CACHE = CAPACITY + 256
const HEAD = CAPACITY + 384

describe("ManyToOneRingBuffer", () => {
  suite({ make: (buffer) => new ManyToOneRingBuffer(buffer), capacityMin: CAPACITY_MIN })
})

const makeRing = () => new ManyToOneRingBuffer(new HeapRegion("ring", CAPACITY + 768).buffer())

const positioned = (tail: number, head: number) => {
  const ring = makeRing()
  ring.buffer.view.setBigInt64(TAIL, BigInt(tail), true)
  ring.buffer.view.setBigInt64(HEAD, BigInt(head), true)
  return new ManyToOneRingBuffer(ring.buffer)
}

const recordAt = (ring: ManyToOneRingBuffer, offset: number) => [
  ring.buffer.view.getInt32(offset, true),
  ring.buffer.view.getInt32(offset + 4, true)
]

describe("ManyToOneRingBuffer claims", () => {
  it("pads the end and claims at the front when the record does not fit before the end", () => {
    const ring = positioned(CAPACITY - 16, CAPACITY - 200)
    assert.strictEqual(ring.tryClaim(3, 92), 8)
    assert.deepStrictEqual(recordAt(ring, CAPACITY - 16), [16, -1])
    assert.deepStrictEqual(recordAt(ring, 0), [-100, 3])
    assert.strictEqual(ring.producerPosition, CAPACITY + 104)
  })

  it("pads the end and reports no room when the front is too short", () => {
    const ring = positioned(CAPACITY - 64, 32)
    assert.strictEqual(ring.tryClaim(3, 88), INSUFFICIENT_CAPACITY, "96 bytes are free, but in two parts")
    assert.deepStrictEqual(recordAt(ring, CAPACITY - 64), [64, -1])
    assert.strictEqual(ring.producerPosition, CAPACITY)
    assert.strictEqual(ring.tryClaim(3, 88), INSUFFICIENT_CAPACITY, "now because there is no room at all")
    assert.strictEqual(ring.producerPosition, CAPACITY)
    assert.strictEqual(ring.tryClaim(4, 24), 8, "a shorter one finds room at the front")
  })

  it("fills the end exactly without padding", () => {
    const ring = positioned(CAPACITY - 64, CAPACITY - 64)
    assert.strictEqual(ring.tryClaim(3, 56), CAPACITY - 56)
    assert.strictEqual(ring.producerPosition, CAPACITY)
  })

  it("sees a head that another consumer's process moved", () => {
    const ring = positioned(CAPACITY, 0)
    assert.strictEqual(ring.tryClaim(1, 8), INSUFFICIENT_CAPACITY)
    ring.buffer.view.setBigInt64(HEAD, 512n, true)
    assert.strictEqual(ring.tryClaim(1, 8), 8)
    assert.strictEqual(ring.buffer.view.getBigInt64(HEAD_CACHE, true), 512n, "and leaves it for other producers")
  })

  it("leaves a head that is new enough for producers who count in 32 bits", () => {
    const start = 2 ** 40 + 2 ** 31
    const ring = positioned(start, start)
    const cached = () => Number(ring.buffer.view.getBigInt64(HEAD_CACHE, true))
    assert.isTrue(ring.write(1, new Uint8Array(8), 0, 8))
    assert.strictEqual(cached(), start, "with the first message")
    for (let i = 0; i < 1000; i++) {
      ring.write(1, new Uint8Array(8), 0, 8)
      ring.read(() => {})
      assert.isAtMost(ring.producerPosition - cached(), CAPACITY * 1.25)
    }
  })

  it("leaves zeroes behind the consumer", () => {
    const ring = makeRing()
    for (let i = 0; i < 100; i++) {
      assert.isTrue(ring.write(1, new Uint8Array(i).fill(255), 0, i))
      ring.read(() => {})
    }
    assert.isTrue(ring.buffer.bytes.slice(0, CAPACITY).every((byte) => byte === 0))
  })

  it("reports a tail that a number does not hold, for a compare-and-set of it would never end", () => {
    const ring = makeRing()
    for (const tail of [-16n, -BigInt(CAPACITY), -(2n ** 60n), 2n ** 53n, 2n ** 63n - 64n]) {
      ring.buffer.view.setBigInt64(TAIL, tail, true)
      assert.throws(() => ring.tryClaim(1, 8), CorruptRecord)
    }
  })

  it("carries its positions over 2^32", () => {
    const start = 2 ** 32 - 48
    const ring = positioned(start, start)
    for (let i = 1; i <= 6; i++) {
      assert.isTrue(ring.write(i, new Uint8Array(8), 0, 8))
    }
    assert.strictEqual(ring.producerPosition, start + 6 * 16)
    const types: Array<number> = []
    while (ring.size > 0) {
      ring.read((typeId) => types.push(typeId))
    }
    assert.deepStrictEqual(types, [1, 2, 3, 4, 5, 6])
    assert.strictEqual(ring.buffer.view.getBigInt64(HEAD, true), BigInt(start + 96))
  })
})

describe("ManyToOneRingBuffer unblock", () => {
  it("does nothing to an empty ring or before a finished record", () => {
    const ring = makeRing()
    assert.isFalse(ring.unblock())
    ring.write(1, new Uint8Array(8), 0, 8)
    assert.isFalse(ring.unblock())
    assert.strictEqual(
      ring.read(() => {}),
      1
    )
  })

  it("turns a claim that was begun into padding", () => {
    const ring = makeRing()
    const abandoned = ring.tryClaim(1, 20)
    ring.write(2, new Uint8Array(8), 0, 8)
    assert.strictEqual(
      ring.read(() => {}),
      0
    )
    assert.isTrue(ring.unblock())
    assert.deepStrictEqual(recordAt(ring, 0), [28, -1])
    assert.throws(() => ring.commit(abandoned), /unblocked/)
    assert.strictEqual(
      ring.read((typeId) => assert.strictEqual(typeId, 2)),
      1
    )
  })

  it("turns a claim that was not begun into padding up to the next record", () => {
    const ring = makeRing()
    ring.buffer.view.setBigInt64(TAIL, 96n, true)
    ring.write(2, new Uint8Array(8), 0, 8)
    assert.isTrue(ring.unblock())
    assert.deepStrictEqual(recordAt(ring, 0), [96, -1])
    assert.strictEqual(
      ring.read(() => {}),
      1
    )
  })

  it("finds the next record's start when that one is open itself", () => {
    const ring = makeRing()
    ring.buffer.view.setBigInt64(TAIL, 32n, true)
    ring.tryClaim(2, 8)
    assert.isTrue(ring.unblock())
    assert.deepStrictEqual(recordAt(ring, 0), [32, -1])
    assert.strictEqual(
      ring.read(() => {}),
      0
    )
    assert.isTrue(ring.unblock())
    assert.strictEqual(ring.consumerPosition, 32)
    assert.strictEqual(
      ring.read(() => {}),
      0
    )
    assert.strictEqual(ring.consumerPosition, 48)
  })

  it("waits when nothing says where a claim that was not begun ends", () => {
    const ring = makeRing()
    ring.buffer.view.setBigInt64(TAIL, 96n, true)
    assert.isFalse(ring.unblock())
  })

  it("searches to the end of the buffer when the tail has wrapped", () => {
    const ring = positioned(CAPACITY + 16, CAPACITY - 64)
    ring.buffer.view.setInt32(CAPACITY - 16, 16, true)
    ring.buffer.view.setInt32(CAPACITY - 12, -1, true)
    assert.isTrue(ring.unblock())
    assert.deepStrictEqual(recordAt(ring, CAPACITY - 64), [48, -1])
  })

  it("reports an open claim that reaches beyond the buffer", () => {
    const ring = makeRing()
    ring.tryClaim(1, 20)
    ring.buffer.view.setInt32(0, -(CAPACITY + 8), true)
    assert.throws(() => ring.unblock(), CorruptRecord)
    ring.buffer.view.setInt32(0, -(2 ** 31), true)
    assert.throws(() => ring.unblock(), CorruptRecord)
  })

  it("fails with RegionClosed after its region was closed", () => {
    const region = new HeapRegion("ring", CAPACITY + 768)
    const ring = new ManyToOneRingBuffer(region.buffer())
    region.close()
    assert.throws(() => ring.unblock(), RegionClosed)
  })
})

SuspendedProducerSuite.suite("the accesses of this machine")
