/** A producer that is stopped in the middle of a claim for so long that the low half of the tail comes round. */
import { assert, describe, it } from "@effect/vitest"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { halfWordAtomicsAreCoherent } from "../../src/memory/Ordering.ts"
import { ManyToOneRingBuffer } from "../../src/ringbuffer/ManyToOneRingBuffer.ts"
import {
  HEAD_POSITION_OFFSET,
  TAIL_POSITION_OFFSET,
  TRAILER_LENGTH
} from "../../src/ringbuffer/RingBufferDescriptor.ts"

const CAPACITY = 1024
const TAIL = CAPACITY + TAIL_POSITION_OFFSET
const HEAD = CAPACITY + HEAD_POSITION_OFFSET

/** A producer that is suspended between its look at the tail and its claim, while `meanwhile` happens. */
class SuspendedRing extends ManyToOneRingBuffer {
  meanwhile: (() => void) | undefined

  protected override hasRoom(required: number): boolean {
    const result = super.hasRoom(required)
    const meanwhile = this.meanwhile
    this.meanwhile = undefined
    meanwhile?.()
    return result
  }
}

export const suite = (accesses: string): void => {
  describe(`ManyToOneRingBuffer while 4 GiB go by during a claim, with ${accesses}`, () => {
    const GO_BY = 2n ** 32n

    const suspended = (unread: number) => {
      const ring = new SuspendedRing(new HeapRegion("ring", CAPACITY + TRAILER_LENGTH).buffer())
      const view = ring.buffer.view
      view.setBigInt64(TAIL, 512n, true)
      view.setBigInt64(HEAD, 512n, true)
      ring.meanwhile = () => {
        // The others went on by 4 GiB and `unread` bytes more than the consumer has read.
        view.setBigInt64(TAIL, 512n + GO_BY, true)
        view.setBigInt64(HEAD, 512n + GO_BY - BigInt(unread), true)
        for (let offset = 512 - unread; offset < 512; offset += 32) {
          view.setInt32((offset + CAPACITY) % CAPACITY, 32, true)
          view.setInt32(((offset + CAPACITY) % CAPACITY) + 4, 7, true)
        }
      }
      return ring
    }

    it("writes nothing over bytes that are unread, and reports no room", () => {
      const ring = suspended(CAPACITY)
      assert.isFalse(ring.write(1, new Uint8Array(24).fill(255), 0, 24))
      const types: Array<number> = []
      while (ring.read((typeId) => types.push(typeId)) > 0) {
        // Until nothing is left.
      }
      assert.deepStrictEqual(
        types,
        Array.from({ length: CAPACITY / 32 }, () => 7),
        "every message that was there"
      )
      assert.isTrue(ring.write(2, new Uint8Array(8), 0, 8))
      assert.strictEqual(ring.unblock(), halfWordAtomicsAreCoherent, "the claim is a hole")
      assert.strictEqual(
        ring.read((typeId) => assert.strictEqual(typeId, 2)),
        1
      )
    })

    it("claims anew behind a hole that becomes padding when it is unblocked", () => {
      const ring = suspended(64)
      assert.isTrue(ring.write(1, new Uint8Array(24), 0, 24))
      const types: Array<number> = []
      ring.read((typeId) => types.push(typeId))
      assert.strictEqual(ring.unblock(), halfWordAtomicsAreCoherent, "the first claim is a hole")
      ring.read((typeId) => types.push(typeId))
      assert.deepStrictEqual(types, [7, 7, 1])
      assert.strictEqual(ring.size, 0)
    })
  })
}
