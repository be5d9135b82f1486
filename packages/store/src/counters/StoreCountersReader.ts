/** Reads the counters of a store that another process has open. What it finds may be anything: a file is no proof. */
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import type { Region } from "@millrace/core/kernel/memory/Region"
import * as CountersFileDescriptor from "./CountersFileDescriptor.ts"

/** The values by type id. */
export type CounterValues = ReadonlyMap<number, number>

/** More than one change while they are read is no matter of chance. */
const ATTEMPTS_MAX = 3

/** All counters, those of one second; undefined where the region holds none of a store. */
export const read = (region: Region): CounterValues | undefined => {
  const count = CountersFileDescriptor.countOf(region.length)
  if (count < 0) {
    return undefined
  }
  const metadataLength = count * CountersDescriptor.METADATA_RECORD_LENGTH
  const reader = new CountersReader(region.buffer(0, metadataLength), region.buffer(metadataLength))
  let values = valuesOf(reader)
  for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt++) {
    const again = valuesOf(reader)
    const isOneSecond = again.get(CountersFileDescriptor.HEARTBEAT) === values.get(CountersFileDescriptor.HEARTBEAT)
    values = again
    if (isOneSecond) {
      break
    }
  }
  return CountersFileDescriptor.LABELS.every(([typeId]) => isPlausible(values.get(typeId))) ? values : undefined
}

const valuesOf = (reader: CountersReader): Map<number, number> => {
  const values = new Map<number, number>()
  for (let id = 0; id < reader.capacity && reader.state(id) !== CountersDescriptor.RECORD_UNUSED; id++) {
    if (reader.state(id) === CountersDescriptor.RECORD_ALLOCATED) {
      values.set(reader.typeId(id), Number(reader.value(id)))
    }
  }
  return values
}

const isPlausible = (value: number | undefined): boolean =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0
