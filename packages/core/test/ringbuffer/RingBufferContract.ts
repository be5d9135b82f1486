/** What both rings promise, as one suite that each runs. */
import { assert, it } from "@effect/vitest"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { RegionClosed } from "../../src/memory/RegionState.ts"
import { Action } from "../../src/ringbuffer/ControlledMessageHandler.ts"
import { CorruptRecord } from "../../src/ringbuffer/CorruptRecord.ts"
import * as RecordDescriptor from "../../src/ringbuffer/RecordDescriptor.ts"
import type { RingBuffer } from "../../src/ringbuffer/RingBuffer.ts"
import * as RingBufferDescriptor from "../../src/ringbuffer/RingBufferDescriptor.ts"

export interface RingBufferKind {
  readonly make: (buffer: AtomicBuffer) => RingBuffer
  readonly capacityMin: number
}

const CAPACITY = 1024

const bytes = (length: number, fill: number = 7): Uint8Array => new Uint8Array(length).fill(fill)

const readAll = (ring: RingBuffer): Array<readonly [typeId: number, message: ReadonlyArray<number>]> => {
  const messages: Array<readonly [number, ReadonlyArray<number>]> = []
  ring.read((typeId, buffer, offset, length) => {
    messages.push([typeId, [...buffer.bytes.subarray(offset, offset + length)]])
  })
  return messages
}

/** To be called inside a `describe`. */
export const suite = (kind: RingBufferKind): void => {
  const makeRegion = (capacity: number = CAPACITY) =>
    new HeapRegion("ring", capacity + RingBufferDescriptor.TRAILER_LENGTH)
  const makeRing = (capacity: number = CAPACITY) => kind.make(makeRegion(capacity).buffer())

  messages(makeRing)
  claims(makeRing)
  controlledReads(makeRing)
  limits(makeRing, kind)
  trailer(makeRing)
  damage(makeRing, makeRegion, kind)
}

const messages = (makeRing: (capacity?: number) => RingBuffer): void => {
  it("hands messages on in the order they were written", () => {
    const ring = makeRing()
    assert.isTrue(ring.write(1, bytes(3, 10), 0, 3))
    assert.isTrue(ring.write(2, bytes(0), 0, 0))
    assert.isTrue(ring.write(3, Uint8Array.of(1, 2, 3, 4, 5), 1, 3))
    assert.deepStrictEqual(readAll(ring), [
      [1, [10, 10, 10]],
      [2, []],
      [3, [2, 3, 4]]
    ])
    assert.deepStrictEqual(readAll(ring), [])
  })

  it("copies long messages from the middle of their source", () => {
    const ring = makeRing()
    const source = Uint8Array.from({ length: 120 }, (_, i) => i)
    assert.isTrue(ring.write(9, source, 11, 100))
    assert.deepStrictEqual(readAll(ring), [[9, [...source.subarray(11, 111)]]])
  })

  it("reads no more messages than its limit", () => {
    const ring = makeRing()
    for (let i = 1; i <= 5; i++) {
      ring.write(i, bytes(4), 0, 4)
    }
    const types: Array<number> = []
    assert.strictEqual(
      ring.read((typeId) => types.push(typeId), 2),
      2
    )
    assert.strictEqual(
      ring.read((typeId) => types.push(typeId), 0),
      0
    )
    assert.strictEqual(
      ring.read((typeId) => types.push(typeId)),
      3
    )
    assert.deepStrictEqual(types, [1, 2, 3, 4, 5])
  })

  it("stops at the end of the buffer and goes on at the front with the next read", () => {
    const ring = makeRing(256)
    for (let i = 0; i < 6; i++) {
      ring.write(1, bytes(32), 0, 32)
    }
    assert.strictEqual(readAll(ring).length, 6)
    assert.isTrue(ring.write(2, bytes(32), 0, 32), "it does not fit into the last 16 bytes and goes to the front")
    assert.strictEqual(ring.producerPosition, 256 + 40)
    assert.strictEqual(readAll(ring).length, 0, "the read consumed the padding alone")
    assert.strictEqual(ring.consumerPosition, 256)
    assert.deepStrictEqual(readAll(ring), [[2, [...bytes(32)]]])
  })

  it("refuses a message when there is no room and takes it after a read", () => {
    const ring = makeRing(256)
    let written = 0
    while (ring.write(1, bytes(24), 0, 24)) {
      written++
    }
    assert.isAtLeast(written, 7)
    assert.isAtLeast(ring.size, 7 * 32)
    readAll(ring)
    assert.isTrue(ring.write(1, bytes(24), 0, 24))
  })

  it("counts a message as read when its handler throws", () => {
    const ring = makeRing()
    ring.write(1, bytes(4), 0, 4)
    ring.write(2, bytes(4), 0, 4)
    const failure = new Error("handler")
    assert.throws(
      () =>
        ring.read(() => {
          throw failure
        }),
      failure
    )
    assert.deepStrictEqual(readAll(ring), [[2, [7, 7, 7, 7]]])
  })

  it("ends a read whose handler closes the region", () => {
    const ring = makeRing()
    ring.write(1, bytes(4), 0, 4)
    ring.write(2, bytes(4), 0, 4)
    assert.strictEqual(
      ring.read((_typeId, buffer) => {
        buffer.state.isClosed = true
      }),
      1
    )
    assert.throws(() => ring.read(() => {}), RegionClosed)
  })
}

const claims = (makeRing: (capacity?: number) => RingBuffer): void => {
  it("shows a claimed message after its commit, and nothing behind it before", () => {
    const ring = makeRing()
    const offset = ring.tryClaim(5, 4)
    assert.isAtLeast(offset, RecordDescriptor.HEADER_LENGTH)
    ring.write(6, bytes(1), 0, 1)
    ring.buffer.bytes.set([1, 2, 3, 4], offset)
    assert.deepStrictEqual(readAll(ring), [])
    ring.commit(offset)
    assert.deepStrictEqual(readAll(ring), [
      [5, [1, 2, 3, 4]],
      [6, [7]]
    ])
  })

  it("skips an aborted claim", () => {
    const ring = makeRing()
    const offset = ring.tryClaim(5, 100)
    ring.write(6, bytes(1), 0, 1)
    ring.abort(offset)
    assert.deepStrictEqual(readAll(ring), [[6, [7]]])
    assert.strictEqual(ring.size, 0)
  })

  it("stores the length negative while a claim is open", () => {
    const ring = makeRing()
    const offset = ring.tryClaim(5, 13)
    const view = ring.buffer.view
    assert.strictEqual(view.getInt32(offset - 8, true), -21)
    assert.strictEqual(view.getInt32(offset - 4, true), 5)
    ring.commit(offset)
    assert.strictEqual(view.getInt32(offset - 8, true), 21)
  })

  it("refuses to end a claim twice or one that is none", () => {
    const ring = makeRing()
    const offset = ring.tryClaim(5, 4)
    ring.commit(offset)
    assert.throws(() => ring.commit(offset), /committed or aborted before/)
    assert.throws(() => ring.abort(offset), /committed or aborted before/)
    for (const wrong of [0, 4, 12, -8, CAPACITY + 8, CAPACITY + 16]) {
      assert.throws(() => ring.commit(wrong), /not one that tryClaim returned/)
    }
  })

  it("tells a claim without room by INSUFFICIENT_CAPACITY", () => {
    const ring = makeRing(64)
    let offset = ring.tryClaim(1, 8)
    while (offset >= 0) {
      offset = ring.tryClaim(1, 8)
    }
    assert.strictEqual(offset, RingBufferDescriptor.INSUFFICIENT_CAPACITY)
    assert.strictEqual(ring.tryClaim(1, 8), RingBufferDescriptor.INSUFFICIENT_CAPACITY)
  })
}

const controlledReads = (makeRing: (capacity?: number) => RingBuffer): void => {
  const makeWithThree = () => {
    const ring = makeRing()
    for (let i = 1; i <= 3; i++) {
      ring.write(i, bytes(4), 0, 4)
    }
    return ring
  }

  it("leaves the message of an ABORT for the next read", () => {
    const ring = makeWithThree()
    assert.strictEqual(
      ring.controlledRead((typeId) => (typeId === 2 ? Action.ABORT : Action.CONTINUE)),
      1
    )
    assert.strictEqual(ring.consumerPosition, 16)
    assert.deepStrictEqual(
      readAll(ring).map(([typeId]) => typeId),
      [2, 3]
    )
  })

  it("ends after the message of a BREAK", () => {
    const ring = makeWithThree()
    assert.strictEqual(
      ring.controlledRead(() => Action.BREAK),
      1
    )
    assert.strictEqual(ring.consumerPosition, 16)
  })

  it("gives room back at each COMMIT", () => {
    const ring = makeWithThree()
    const positions: Array<number> = []
    assert.strictEqual(
      ring.controlledRead((typeId) => {
        positions.push(ring.consumerPosition)
        return typeId === 1 ? Action.COMMIT : Action.CONTINUE
      }),
      3
    )
    assert.deepStrictEqual(positions, [0, 16, 16])
    assert.strictEqual(ring.consumerPosition, 48)
  })

  it("takes no handler's number for an action in a plain read", () => {
    const ring = makeWithThree()
    assert.strictEqual(
      ring.read(() => Action.ABORT),
      3
    )
  })
}

const limits = (makeRing: (capacity?: number) => RingBuffer, kind: RingBufferKind): void => {
  it("takes messages of an eighth of its capacity and no longer ones", () => {
    const ring = makeRing()
    assert.strictEqual(ring.maxMessageLength, CAPACITY / 8)
    assert.isTrue(ring.write(1, bytes(128), 0, 128))
    assert.throws(() => ring.write(1, bytes(129), 0, 129), /longer than the ring's maxMessageLength/)
    assert.throws(() => ring.tryClaim(1, 129), /longer than the ring's maxMessageLength/)
    assert.throws(() => ring.tryClaim(1, -1), /negative/)
  })

  it("carries messages of at most 8 bytes in a small ring and empty ones in the least", () => {
    assert.strictEqual(makeRing(kind.capacityMin * 2).maxMessageLength, 8)
    assert.strictEqual(makeRing(kind.capacityMin).maxMessageLength, 0)
  })

  it("refuses type ids below 1 and beyond an int32", () => {
    const ring = makeRing()
    for (const typeId of [0, -1, 2 ** 31, 1.5, Number.NaN]) {
      assert.throws(() => ring.write(typeId, bytes(1), 0, 1), /type id is not a positive int32/)
    }
    assert.isTrue(ring.write(2 ** 31 - 1, bytes(1), 0, 1))
  })

  it("refuses a message that reaches outside its source", () => {
    const ring = makeRing()
    assert.throws(() => ring.write(1, bytes(4), 2, 3), /outside its source/)
    assert.throws(() => ring.write(1, bytes(4), -1, 3), /outside its source/)
    assert.strictEqual(ring.producerPosition, 0)
  })

  it("refuses memory that is not a power of two and a trailer", () => {
    for (const length of [0, 768, 767, 768 + 768, 1000 + 768, kind.capacityMin / 2 + 768]) {
      assert.throws(() => kind.make(new HeapRegion("ring", length).buffer()), /power of two plus its trailer/)
    }
  })
}

const trailer = (makeRing: (capacity?: number) => RingBuffer): void => {
  it("keeps each field at its place behind the records", () => {
    const ring = makeRing()
    ring.write(1, bytes(4), 0, 4)
    ring.write(1, bytes(4), 0, 4)
    ring.read(() => {}, 1)
    ring.nextCorrelationId()
    ring.consumerHeartbeatMs = 1_796_004_569_851
    const view = ring.buffer.view
    assert.strictEqual(view.getBigInt64(CAPACITY + 128, true), 32n)
    assert.strictEqual(view.getBigInt64(CAPACITY + 384, true), 16n)
    assert.strictEqual(view.getBigInt64(CAPACITY + 512, true), 1n)
    assert.strictEqual(view.getBigInt64(CAPACITY + 640, true), 1_796_004_569_851n)
  })

  it("counts correlation ids from 0", () => {
    const ring = makeRing()
    assert.deepStrictEqual([ring.nextCorrelationId(), ring.nextCorrelationId()], [0n, 1n])
  })

  it("holds the consumer's heartbeat, -1 at its end included", () => {
    const ring = makeRing()
    assert.strictEqual(ring.consumerHeartbeatMs, 0)
    ring.consumerHeartbeatMs = -1
    assert.strictEqual(ring.consumerHeartbeatMs, -1)
  })
}

const damage = (
  makeRing: (capacity?: number) => RingBuffer,
  makeRegion: (capacity?: number) => HeapRegion,
  kind: RingBufferKind
): void => {
  it("reports a record length that cannot be, and never moves past it", () => {
    for (const length of [1, 7, CAPACITY + 8, 2 ** 31 - 1]) {
      const ring = makeRing()
      ring.write(1, bytes(4), 0, 4)
      ring.write(2, bytes(4), 0, 4)
      ring.buffer.view.setInt32(16, length, true)
      const types: Array<number> = []
      assert.throws(() => ring.read((typeId) => types.push(typeId)), CorruptRecord)
      assert.deepStrictEqual(types, [1], "the message before it was read")
      assert.strictEqual(ring.consumerPosition, 16)
      assert.throws(() => ring.read((typeId) => types.push(typeId)), /the record length at offset 16/)
      assert.deepStrictEqual(types, [1])
    }
  })

  it("reports positions that cannot be", () => {
    const atHead = makeRing()
    atHead.buffer.view.setBigInt64(CAPACITY + 384, 4n, true)
    assert.throws(() => atHead.read(() => {}), CorruptRecord)
    const atTail = makeRing()
    atTail.buffer.view.setBigInt64(CAPACITY + 128, 12n, true)
    assert.throws(() => atTail.tryClaim(1, 8), CorruptRecord)
  })

  it("fails with RegionClosed at every entry after its region was closed", () => {
    const region = makeRegion()
    const ring = kind.make(region.buffer())
    const claim = ring.tryClaim(1, 4)
    region.close()
    const entries: Array<() => unknown> = [
      () => ring.write(1, bytes(4), 0, 4),
      () => ring.tryClaim(1, 4),
      () => ring.commit(claim),
      () => ring.abort(claim),
      () => ring.read(() => {}),
      () => ring.controlledRead(() => Action.CONTINUE),
      () => ring.nextCorrelationId(),
      () => ring.consumerHeartbeatMs,
      () => {
        ring.consumerHeartbeatMs = 1
      },
      () => ring.producerPosition,
      () => ring.consumerPosition,
      () => ring.size,
      () => kind.make(ring.buffer)
    ]
    for (const entry of entries) {
      assert.throws(entry, RegionClosed)
    }
  })
}
