import { assert, describe, it } from "@effect/vitest"
import { getHeapStatistics } from "node:v8"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { halfWordAtomicsAreCoherent } from "../../src/memory/Ordering.ts"
import { ManyToOneRingBuffer } from "../../src/ringbuffer/ManyToOneRingBuffer.ts"
import { OneToOneRingBuffer } from "../../src/ringbuffer/OneToOneRingBuffer.ts"
import type { RingBuffer } from "../../src/ringbuffer/RingBuffer.ts"
import {
  HEAD_POSITION_OFFSET,
  TAIL_POSITION_OFFSET,
  TRAILER_LENGTH
} from "../../src/ringbuffer/RingBufferDescriptor.ts"
import { countOr } from "../Peers.ts"

const MESSAGES = Math.min(countOr(300_000), 10_000_000)
/** Noise of the engine itself is about a byte; one object a message would be 16 bytes at least. */
const NOISE = 6
const BUFFER_LENGTH = 64 * 1024 + TRAILER_LENGTH
const source = new Uint8Array(128)

/** Bytes this isolate has allocated so far. Node counts them from version 26 on; before, what the heap holds has to do. */
const allocatedBytes = (): number => {
  const statistics: { readonly total_allocated_bytes?: number; readonly used_heap_size: number } = getHeapStatistics()
  return statistics.total_allocated_bytes ?? statistics.used_heap_size
}

const perMessage = (pass: (count: number) => void): number => {
  // The first messages pay for their compilation.
  pass(MESSAGES / 4)
  const before = allocatedBytes()
  pass(MESSAGES)
  return (allocatedBytes() - before) / MESSAGES
}

const onMessage = (): void => {}

const drain = (ring: RingBuffer): void => {
  while (ring.read(onMessage) > 0) {
    // Twice at the end of the buffer, where a read stops.
  }
}

const writing = (ring: RingBuffer) => (count: number) => {
  for (let written = 0; written < count;) {
    if (ring.write(1, source, 8, 32)) {
      written++
    } else {
      drain(ring)
    }
  }
}

const claiming = (ring: RingBuffer) => (count: number) => {
  for (let written = 0; written < count;) {
    const offset = ring.tryClaim(1, 120)
    if (offset >= 0) {
      ring.commit(offset)
      written++
    } else {
      drain(ring)
    }
  }
}

/** The consumer takes one message whenever there is no room, so that each claim looks at the head anew. */
const crowding = (ring: RingBuffer) => (count: number) => {
  for (let written = 0; written < count;) {
    if (ring.write(1, source, 8, 32)) {
      written++
    } else {
      ring.read(onMessage, 1)
    }
  }
}

/** Only reads: the records are put back by moving the tail, with the bytes kept from a first filling. */
const reading = (ring: ManyToOneRingBuffer) => {
  while (ring.write(1, source, 0, 24)) {
    // Until it is full.
  }
  const filled = ring.buffer.bytes.slice(0, ring.capacity)
  const messages = ring.size / 32
  const tail = ring.buffer.int64
  const tailIndex = (ring.capacity + TAIL_POSITION_OFFSET) / 8
  return (count: number) => {
    for (let read = 0; read < count; read += messages) {
      drain(ring)
      ring.buffer.bytes.set(filled)
      Atomics.store(tail, tailIndex, BigInt(ring.consumerPosition + ring.capacity))
    }
  }
}

/** Beyond 2^31 a position is no small integer any more: where it passed through a function as a number it would show. */
const STARTS = [0n, 2n ** 40n]

const bufferStartingAt = (position: bigint): AtomicBuffer => {
  const buffer = new HeapRegion("ring", BUFFER_LENGTH).buffer()
  buffer.view.setBigInt64(BUFFER_LENGTH - TRAILER_LENGTH + TAIL_POSITION_OFFSET, position, true)
  buffer.view.setBigInt64(BUFFER_LENGTH - TRAILER_LENGTH + HEAD_POSITION_OFFSET, position, true)
  return buffer
}

describe("allocation of the ring buffers", () => {
  for (const start of STARTS) {
    it(`is nothing a message in the one-to-one ring from position ${start}`, () => {
      const ring = new OneToOneRingBuffer(bufferStartingAt(start))
      assert.isBelow(perMessage(writing(ring)), NOISE)
      assert.isBelow(perMessage(claiming(ring)), NOISE)
    })

    it(`is nothing a message when the many-to-one ring is read from position ${start}`, () => {
      assert.isBelow(perMessage(reading(new ManyToOneRingBuffer(bufferStartingAt(start)))), NOISE)
    })

    it(`is nothing a message when the many-to-one ring is written from position ${start}`, () => {
      const ring = new ManyToOneRingBuffer(bufferStartingAt(start))
      const compareAndSet = halfWordAtomicsAreCoherent ? 0 : 3 * 24 + 2 * 16
      assert.isBelow(perMessage(writing(ring)), compareAndSet + NOISE)
      assert.isBelow(perMessage(claiming(ring)), compareAndSet + NOISE)
    })

    it(`is nothing a message when the many-to-one ring is always full from position ${start}`, () => {
      const ring = new ManyToOneRingBuffer(bufferStartingAt(start))
      const compareAndSet = halfWordAtomicsAreCoherent ? 0 : 3 * 24 + 2 * 16
      assert.isBelow(perMessage(crowding(ring)), compareAndSet + NOISE)
    })
  }
})
