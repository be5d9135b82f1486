import { assert, describe, it } from "@effect/vitest"
import { AtomicCounter } from "../../src/counters/AtomicCounter.ts"
import * as CountersDescriptor from "../../src/counters/CountersDescriptor.ts"
import { CountersManager } from "../../src/counters/CountersManager.ts"
import { CountersReader } from "../../src/counters/CountersReader.ts"
import { StatusIndicator } from "../../src/counters/StatusIndicator.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { RegionClosed } from "../../src/memory/RegionState.ts"
import { CorruptRecord } from "../../src/ringbuffer/CorruptRecord.ts"

const CAPACITY = 8
const { NULL_COUNTER_ID, RECORD_ALLOCATED, RECORD_RECLAIMED, RECORD_UNUSED } = CountersDescriptor

const make = (options: { readonly reuseTimeoutMs?: number } = {}) => {
  const metadataRegion = new HeapRegion("counters metadata", CAPACITY * 512)
  const valuesRegion = new HeapRegion("counters values", CAPACITY * 128)
  const metadata = metadataRegion.buffer()
  const values = valuesRegion.buffer()
  const clock = { nowMs: 1000 }
  const manager = new CountersManager(metadata, values, () => clock.nowMs, options.reuseTimeoutMs)
  return {
    metadataRegion,
    valuesRegion,
    metadata,
    values,
    clock,
    manager,
    reader: new CountersReader(metadata, values)
  }
}

describe("CountersManager", () => {
  it("puts each field at its place", () => {
    const { manager, metadata, values } = make()
    manager.allocate({ typeId: 1, label: "first" })
    const id = manager.allocate({
      typeId: 7,
      label: "largest",
      key: Uint8Array.of(1, 2, 3),
      value: -5n,
      registrationId: 2n ** 62n,
      ownerId: -1n,
      referenceId: 99n
    })
    assert.strictEqual(id, 1)
    assert.deepStrictEqual([...values.int64.subarray(16, 20)], [-5n, 2n ** 62n, -1n, 99n])
    assert.strictEqual(metadata.view.getInt32(512, true), RECORD_ALLOCATED)
    assert.strictEqual(metadata.view.getInt32(516, true), 7)
    assert.strictEqual(metadata.view.getBigInt64(520, true), 2n ** 63n - 1n)
    assert.deepStrictEqual([...metadata.bytes.subarray(528, 532)], [1, 2, 3, 0])
    assert.strictEqual(metadata.view.getInt32(640, true), 7)
    assert.strictEqual(new TextDecoder().decode(metadata.bytes.slice(644, 651)), "largest")
  })

  it("takes new ids in order and says when there are no more", () => {
    const { manager } = make()
    for (let id = 0; id < CAPACITY; id++) {
      assert.strictEqual(manager.available, CAPACITY - id)
      assert.strictEqual(manager.allocate({ typeId: 0, label: `${id}` }), id)
    }
    assert.strictEqual(manager.available, 0)
    assert.strictEqual(manager.allocate({ typeId: 0, label: "one too many" }), NULL_COUNTER_ID)
    assert.isUndefined(manager.newCounter({ typeId: 0, label: "one too many" }))
  })

  it("uses a freed id again after the reuse delay, before new ones", () => {
    const { clock, manager } = make()
    for (let i = 0; i < 4; i++) {
      manager.allocate({ typeId: 0, label: "x" })
    }
    manager.free(2)
    clock.nowMs = 1500
    manager.free(0)
    clock.nowMs = 1999
    assert.strictEqual(manager.allocate({ typeId: 0, label: "x" }), 4, "neither delay is over")
    clock.nowMs = 2000
    assert.strictEqual(manager.available, CAPACITY - 5 + 1)
    assert.strictEqual(manager.allocate({ typeId: 0, label: "x" }), 2)
    assert.strictEqual(manager.allocate({ typeId: 0, label: "x" }), 5, "the second delay is not over")
    clock.nowMs = 2500
    assert.strictEqual(manager.allocate({ typeId: 0, label: "x" }), 0)
  })

  it("clears the key, keeps value and label of a freed counter, and clears all when it is used again", () => {
    const { manager, metadata, reader } = make({ reuseTimeoutMs: 0 })
    const id = manager.allocate({ typeId: 1, label: "old", key: Uint8Array.of(9), value: 5n, registrationId: 6n })
    manager.setOwnerId(id, 7n)
    manager.setReferenceId(id, 8n)
    manager.free(id)
    assert.strictEqual(reader.state(id), RECORD_RECLAIMED)
    assert.strictEqual(reader.freeForReuseDeadlineMs(id), 1000n)
    assert.strictEqual(reader.value(id), 5n)
    assert.strictEqual(reader.label(id), "old")
    assert.isTrue(reader.key(id).every((byte) => byte === 0))
    assert.isUndefined(reader.read(id))
    assert.strictEqual(manager.allocate({ typeId: 2, label: "n" }), id)
    assert.deepStrictEqual(reader.read(id), {
      id,
      typeId: 2,
      value: 0n,
      registrationId: 0n,
      ownerId: 0n,
      referenceId: 0n,
      key: new Uint8Array(112),
      label: "n"
    })
    assert.strictEqual(metadata.view.getBigInt64(8, true), 2n ** 63n - 1n)
  })

  it("refuses to free what is not allocated", () => {
    const { manager } = make()
    const id = manager.allocate({ typeId: 1, label: "x" })
    manager.free(id)
    assert.throws(() => manager.free(id), /not allocated/)
    assert.throws(() => manager.free(id + 1), /not allocated/)
    assert.throws(() => manager.free(CAPACITY), /out of range/)
    assert.throws(() => manager.free(-1), /out of range/)
    assert.throws(() => manager.free(0.5), /not an integer/)
  })

  it("cuts labels to 380 bytes at a whole character, and keys to 112", () => {
    const { manager, reader } = make()
    const ascii = manager.allocate({ typeId: 1, label: "x".repeat(400) })
    assert.strictEqual(reader.label(ascii), "x".repeat(380))
    const wide = manager.allocate({ typeId: 1, label: `x${"ö".repeat(200)}`, key: new Uint8Array(200).fill(255) })
    assert.strictEqual(reader.label(wide), `x${"ö".repeat(189)}`)
    assert.deepStrictEqual(reader.key(wide), new Uint8Array(112).fill(255))
    assert.strictEqual(reader.state(wide), RECORD_ALLOCATED)
    assert.strictEqual(reader.state(wide + 1), RECORD_UNUSED, "nothing ran over into the next record")
  })

  it("replaces and extends labels as far as there is room", () => {
    const { manager, reader } = make()
    const id = manager.allocate({ typeId: 1, label: "client-heartbeat: id=3" })
    manager.appendToLabel(id, " name=test")
    assert.strictEqual(reader.label(id), "client-heartbeat: id=3 name=test")
    manager.appendToLabel(id, "y".repeat(500))
    assert.strictEqual(reader.label(id), `client-heartbeat: id=3 name=test${"y".repeat(348)}`)
    manager.setLabel(id, "short")
    assert.strictEqual(reader.label(id), "short")
  })

  it("refuses metadata that is shorter than four times the values", () => {
    const metadata = new HeapRegion("m", 4 * 128 - 8).buffer()
    const values = new HeapRegion("v", 128).buffer()
    assert.throws(() => new CountersManager(metadata, values, () => 0), /four times/)
    assert.throws(() => new CountersReader(metadata, values), /four times/)
  })
})

describe("CountersReader", () => {
  it("lists allocated counters and ends at the first that was never used", () => {
    const { manager, reader } = make()
    for (const label of ["a", "b", "c"]) {
      manager.allocate({ typeId: 1, label })
    }
    manager.free(1)
    const labels: Array<string> = []
    assert.strictEqual(
      reader.forEach(({ label }) => labels.push(label)),
      2
    )
    assert.deepStrictEqual(labels, ["a", "c"])
  })

  it("finds the first allocated counter with an id", () => {
    const { manager, reader } = make()
    manager.allocate({ typeId: 1, label: "a", registrationId: 5n })
    manager.allocate({ typeId: 2, label: "b", registrationId: 5n })
    assert.strictEqual(reader.findByRegistrationId(5n), 0)
    assert.strictEqual(reader.findByTypeIdAndRegistrationId(2, 5n), 1)
    manager.free(0)
    assert.strictEqual(reader.findByRegistrationId(5n), 1)
    assert.strictEqual(reader.findByTypeIdAndRegistrationId(1, 5n), NULL_COUNTER_ID)
    assert.strictEqual(reader.findByRegistrationId(6n), NULL_COUNTER_ID)
  })

  it("copies keys and labels out", () => {
    const { manager, reader } = make({ reuseTimeoutMs: 0 })
    const id = manager.allocate({ typeId: 1, label: "a", key: Uint8Array.of(1) })
    const record = reader.read(id)!
    manager.free(id)
    assert.strictEqual(record.key[0], 1)
    record.key[0] = 2
    assert.strictEqual(reader.key(id)[0], 0)
  })

  it("reports a label length that cannot be", () => {
    for (const length of [-1, 381, 2 ** 31 - 1]) {
      const { manager, metadata, reader } = make()
      const id = manager.allocate({ typeId: 1, label: "a" })
      metadata.view.setInt32(128, length, true)
      assert.throws(() => reader.label(id), CorruptRecord)
      assert.throws(() => reader.forEach(() => {}), CorruptRecord)
      assert.throws(() => manager.appendToLabel(id, "b"), CorruptRecord)
    }
  })

  it("refuses ids out of range", () => {
    const { reader } = make()
    for (const id of [-1, CAPACITY, Number.NaN, 0.5]) {
      assert.throws(() => reader.value(id), /counter id/)
      assert.throws(() => reader.label(id), /counter id/)
    }
  })
})

describe("AtomicCounter", () => {
  it("counts up as a number, over 2^32 too", () => {
    const { manager, reader } = make()
    const counter = manager.newCounter({ typeId: 1, label: "a" })!
    counter.setRelease(2 ** 32 - 1)
    counter.addRelease(1)
    assert.strictEqual(counter.getVolatile(), 2 ** 32)
    assert.strictEqual(counter.get(), 2n ** 32n)
    assert.strictEqual(reader.position(counter.id), 2 ** 32)
    counter.setRelease(2 ** 58)
    assert.strictEqual(counter.get(), 2n ** 58n)
    assert.strictEqual(counter.getVolatile(), 2 ** 58)
  })

  it("raises a maximum and never lowers it", () => {
    const { manager } = make()
    const counter = manager.newCounter({ typeId: 1, label: "a" })!
    assert.isTrue(counter.proposeMaxRelease(10))
    assert.isFalse(counter.proposeMaxRelease(10))
    assert.isFalse(counter.proposeMaxRelease(9))
    assert.isTrue(counter.proposeMaxRelease(2 ** 33))
    assert.strictEqual(counter.getVolatile(), 2 ** 33)
  })

  it("holds any 64-bit value as a bigint", () => {
    const { manager } = make()
    const counter = manager.newCounter({ typeId: 1, label: "a", value: -(2n ** 63n) })!
    assert.strictEqual(counter.get(), -(2n ** 63n))
    counter.set(-1n)
    assert.strictEqual(counter.getVolatile(), -1)
    assert.strictEqual(counter.getAndAdd(3n), -1n)
    assert.isFalse(counter.compareAndSet(1n, 9n))
    assert.isTrue(counter.compareAndSet(2n, 9n))
    assert.strictEqual(counter.get(), 9n)
  })

  it("touches its own record alone", () => {
    const { manager, values } = make()
    const [before, counter, after] = ["a", "b", "c"].map((label) => manager.newCounter({ typeId: 1, label })!)
    counter!.set(-1n)
    assert.deepStrictEqual([before!.get(), after!.get()], [0n, 0n])
    assert.throws(() => new AtomicCounter(values, CAPACITY), /out of range/)
    assert.throws(() => new AtomicCounter(values, -1), /negative/)
  })
})

describe("StatusIndicator", () => {
  it("goes up and down", () => {
    const { manager, values } = make()
    const status = new StatusIndicator(values, manager.allocate({ typeId: 6, label: "snd-channel" }))
    for (const value of [1, -1, 2, 0]) {
      status.setRelease(value)
      assert.strictEqual(status.getVolatile(), value)
    }
  })
})

describe("counters over a closed region", () => {
  it("fail with RegionClosed at every entry, whichever of the two regions was closed", () => {
    for (const which of ["metadataRegion", "valuesRegion"] as const) {
      const made = make()
      const { manager, metadata, reader, values } = made
      const counter = manager.newCounter({ typeId: 1, label: "a" })!
      const status = new StatusIndicator(values, counter.id)
      made[which].close()
      const entries: Array<() => unknown> = [
        () => manager.allocate({ typeId: 1, label: "b" }),
        () => manager.newCounter({ typeId: 1, label: "b" }),
        () => manager.free(0),
        () => manager.setValue(0, 1n),
        () => manager.setRegistrationId(0, 1n),
        () => manager.setOwnerId(0, 1n),
        () => manager.setReferenceId(0, 1n),
        () => manager.setLabel(0, "b"),
        () => manager.appendToLabel(0, "b"),
        () => reader.state(0),
        () => reader.typeId(0),
        () => reader.value(0),
        () => reader.position(0),
        () => reader.registrationId(0),
        () => reader.ownerId(0),
        () => reader.referenceId(0),
        () => reader.freeForReuseDeadlineMs(0),
        () => reader.label(0),
        () => reader.key(0),
        () => reader.read(0),
        () => reader.forEach(() => {}),
        () => reader.findByRegistrationId(1n),
        () => reader.findByTypeIdAndRegistrationId(1, 1n),
        () => new CountersReader(metadata, values)
      ]
      if (which === "valuesRegion") {
        entries.push(
          () => counter.getVolatile(),
          () => counter.setRelease(1),
          () => counter.addRelease(1),
          () => counter.proposeMaxRelease(1),
          () => counter.get(),
          () => counter.set(1n),
          () => counter.getAndAdd(1n),
          () => counter.compareAndSet(0n, 1n),
          () => status.getVolatile(),
          () => status.setRelease(1),
          () => new AtomicCounter(values, 0)
        )
      }
      for (const entry of entries) {
        assert.throws(entry, RegionClosed)
      }
    }
  })
})
