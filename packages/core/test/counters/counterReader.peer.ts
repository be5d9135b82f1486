import { AtomicCounter } from "../../src/counters/AtomicCounter.ts"
import { CountersReader } from "../../src/counters/CountersReader.ts"
import * as Peers from "../Peers.ts"
import { allocationOf, METADATA_LENGTH, READY_ID, STOP_ID } from "./StressCounters.ts"

/** Reads whatever is allocated until told to stop, and checks that every record is of one allocation. */
Peers.peer<{ readonly valuesLength: number }>((region, { valuesLength }) => {
  const values = region.buffer(METADATA_LENGTH, valuesLength)
  const reader = new CountersReader(region.buffer(0, METADATA_LENGTH), values)
  new AtomicCounter(values, READY_ID).getAndAdd(1n)
  let read = 0
  while (reader.value(STOP_ID) === 0n) {
    reader.forEach((counter) => {
      if (counter.id === STOP_ID || counter.id === READY_ID) {
        return
      }
      const expected = allocationOf(counter.registrationId)
      const isWhole =
        counter.label === expected.label &&
        counter.typeId === expected.typeId &&
        counter.ownerId === expected.ownerId &&
        counter.referenceId === expected.referenceId &&
        counter.value === expected.value &&
        counter.key.every((byte) => byte === expected.key[0])
      if (!isWhole) {
        throw new Error(`counter ${counter.id} is mixed: ${counter.registrationId} ${counter.ownerId} ${counter.label}`)
      }
      read++
    })
  }
  return read
})
