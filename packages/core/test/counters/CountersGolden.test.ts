import { assert, describe, it } from "@effect/vitest"
import * as CountersDescriptor from "../../src/counters/CountersDescriptor.ts"
import { CountersManager } from "../../src/counters/CountersManager.ts"
import { type CounterRecord, CountersReader } from "../../src/counters/CountersReader.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import * as AeronFiles from "../AeronFiles.ts"

const names = ["clean", "java", "java-errors", "c-errors"] as const

const readerOf = (name: string): CountersReader => {
  const { countersMetadata, countersValues } = AeronFiles.cnc(name)
  return new CountersReader(countersMetadata, countersValues)
}

const rowOf = (counter: CounterRecord): AeronFiles.CounterRow => ({
  id: counter.id,
  type: counter.typeId,
  label: counter.label,
  value: Number(counter.value),
  registrationId: Number(counter.registrationId),
  ownerId: Number(counter.ownerId),
  referenceId: Number(counter.referenceId),
  key: Buffer.from(counter.key).toString("hex")
})

describe("the counters of real drivers", () => {
  for (const name of names) {
    it(`reads every counter of ${name}`, () => {
      const expected = AeronFiles.rows<AeronFiles.CounterRow>(`${name}-cnc.counters.json`)
      const counters: Array<AeronFiles.CounterRow> = []
      const reader = readerOf(name)
      assert.strictEqual(reader.capacity, 65536)
      assert.strictEqual(
        reader.forEach((counter) => counters.push(rowOf(counter))),
        expected.length
      )
      assert.deepStrictEqual(counters, [...expected])
    })
  }

  it("skips a counter that was freed", () => {
    const reader = readerOf("clean")
    assert.strictEqual(reader.state(57), CountersDescriptor.RECORD_RECLAIMED)
    assert.isUndefined(reader.read(57))
    assert.isDefined(reader.read(58))
  })

  it("finds counters by type and registration id", () => {
    const reader = readerOf("java")
    const heartbeat = reader.findByTypeIdAndRegistrationId(11, 1n)
    assert.match(reader.label(heartbeat), /^client-heartbeat: id=1/)
    assert.strictEqual(reader.findByTypeIdAndRegistrationId(11, 99n), CountersDescriptor.NULL_COUNTER_ID)
    const subscriberPosition = reader.findByTypeIdAndRegistrationId(4, 2n)
    assert.strictEqual(reader.position(subscriberPosition), 48000)
  })

  // The C driver copies more of a key than it fills, so only the Java driver's bytes can be made again.
  for (const name of ["java", "java-errors"] as const) {
    it(`writes the counters of ${name} to the same bytes`, () => {
      const theirs = AeronFiles.cnc(name)
      const metadata = new HeapRegion("metadata", theirs.countersMetadata.length).buffer()
      const values = new HeapRegion("values", theirs.countersValues.length).buffer()
      const manager = new CountersManager(metadata, values, () => 0)
      readerOf(name).forEach((counter) => {
        assert.strictEqual(manager.allocate(counter), counter.id)
      })
      assert.isUndefined(AeronFiles.firstDifference(metadata.bytes, theirs.countersMetadata.bytes))
      assert.isUndefined(AeronFiles.firstDifference(values.bytes, theirs.countersValues.bytes))
    })
  }
})
