import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { halfWordAtomicsAreCoherent } from "../../src/memory/Ordering.ts"
import { CAPACITY_MIN, ManyToOneRingBuffer } from "../../src/ringbuffer/ManyToOneRingBuffer.ts"
import { suite } from "./RingBufferContract.ts"
import * as RingBufferModelSuite from "./RingBufferModelSuite.ts"
import * as SuspendedProducerSuite from "./SuspendedProducerSuite.ts"

// Before any import: the ring takes the path of a processor that keeps no order by itself and no halves together.
vi.hoisted(() => Object.defineProperty(process, "arch", { value: "arm64" }))

describe("ManyToOneRingBuffer with Atomics of the whole tail", () => {
  it("compares the whole tail", () => {
    assert.isFalse(halfWordAtomicsAreCoherent)
  })

  suite({ make: (buffer) => new ManyToOneRingBuffer(buffer), capacityMin: CAPACITY_MIN })
})
RingBufferModelSuite.suite("Atomics of the whole tail")
SuspendedProducerSuite.suite("Atomics of the whole tail")
