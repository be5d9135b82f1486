/**
 * How many slots and entries an index file was made with. Its header does not say, but its first and its last entry must
 * be where the header says that they lead to: numbers of slots are tried until they are.
 */
import * as IndexDescriptor from "./IndexDescriptor.ts"
import { getInt64 } from "../mapped/BigEndian.ts"
import type { StoreFile } from "../mapped/FileSystem.ts"

const INT_LENGTH = 4
/** Length of an entry in units of a slot. */
const ENTRY_UNITS = IndexDescriptor.ENTRY_LENGTH / IndexDescriptor.SLOT_LENGTH
/** RocketMQ's default, tried first. */
const SLOTS_DEFAULT = 5_000_000
/** Most slots that are looked for. Who has made files with more says so: `maxHashSlotNum`. */
const SLOTS_MAX = 20_000_000
/** Longer than any index file: RocketMQ counts its bytes in 32 bits. */
const FILE_LENGTH_MAX = 2 ** 31 - 1
/** Entries before the last one that must fit as well. */
const ENTRIES_CHECKED = 32

export interface Geometry {
  readonly slotCount: number
  readonly entryCount: number
}

interface Header {
  /** Number of the last entry, and the positions that it and the first one lead to. */
  readonly last: number
  readonly begin: number
  readonly end: number
}

/** Undefined for a file without entries, or none of this kind. */
export const detect = (file: StoreFile): Geometry | undefined => {
  const units = (file.length - IndexDescriptor.HEADER_LENGTH) / INT_LENGTH
  if (!Number.isInteger(units) || units < ENTRY_UNITS + 1 || file.length > FILE_LENGTH_MAX) {
    return undefined
  }
  const last = int32(file, IndexDescriptor.INDEX_COUNT_OFFSET) - 1
  const slotsMax = Math.min(SLOTS_MAX, units - ENTRY_UNITS * (last + 1))
  if (last < 1 || slotsMax < 1) {
    return undefined
  }
  const header: Header = {
    last,
    begin: int64(file, IndexDescriptor.BEGIN_POSITION_OFFSET),
    end: int64(file, IndexDescriptor.END_POSITION_OFFSET)
  }
  const isDefaultPossible = SLOTS_DEFAULT <= slotsMax && (units - SLOTS_DEFAULT) % ENTRY_UNITS === 0
  if (isDefaultPossible && fits(file, SLOTS_DEFAULT, header)) {
    return geometryOf(units, SLOTS_DEFAULT)
  }
  for (let slotCount = units % ENTRY_UNITS || ENTRY_UNITS; slotCount <= slotsMax; slotCount += ENTRY_UNITS) {
    if (fits(file, slotCount, header)) {
      return geometryOf(units, slotCount)
    }
  }
  return undefined
}

const geometryOf = (units: number, slotCount: number): Geometry => ({
  slotCount,
  entryCount: (units - slotCount) / ENTRY_UNITS
})

const fits = (file: StoreFile, slotCount: number, { begin, end, last }: Header): boolean => {
  if (positionOf(file, slotCount, 1) !== begin || positionOf(file, slotCount, last) !== end) {
    return false
  }
  for (let entry = last; entry > 0 && entry > last - ENTRIES_CHECKED; entry--) {
    const at = IndexDescriptor.entryOffset(slotCount, entry)
    const keyHash = int32(file, at + IndexDescriptor.KEY_HASH_OFFSET)
    const previous = int32(file, at + IndexDescriptor.PREVIOUS_OFFSET)
    const position = positionOf(file, slotCount, entry)
    const isPlausible = keyHash >= 0 && previous >= 0 && previous < entry && position >= begin && position <= end
    // The slot leads to the newest entry of its chain, which is this one or a newer one.
    if (!isPlausible || int32(file, IndexDescriptor.slotOffset(keyHash % slotCount)) < entry) {
      return false
    }
  }
  return true
}

const positionOf = (file: StoreFile, slotCount: number, entry: number): number =>
  int64(file, IndexDescriptor.entryOffset(slotCount, entry) + IndexDescriptor.POSITION_OFFSET)

const int32 = (file: StoreFile, offset: number): number => {
  const { base, view } = file.read(offset, INT_LENGTH)
  return view.getInt32(offset - base)
}

const int64 = (file: StoreFile, offset: number): number => {
  const { base, view } = file.read(offset, 2 * INT_LENGTH)
  return getInt64(view, offset - base)
}
