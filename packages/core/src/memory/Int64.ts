/**
 * 64-bit fields of shared memory as numbers, without a BigInt: a `BigInt64Array` access costs 38 to 57 ns and
 * allocates, an `Int32Array` one does not. Values are exact to 2^53, and beyond it when they are multiples of a
 * power of two, as positions are. Offsets are in bytes and multiples of 8.
 */
import type { AtomicBuffer } from "./AtomicBuffer.ts"
import { loadAcquire, storeRelease } from "./Ordering.ts"

const TWO_POW_32 = 4294967296

/**
 * Reads a field that only grows. The high half is read again after the low one: when it is unchanged no carry went
 * between the two reads, and since the value never returns to an earlier one the pair is a value that was there.
 * Not for a field that may go down (a status): its high half can change and change back.
 */
export const loadMonotonic = (buffer: AtomicBuffer, offset: number): number => {
  const int32 = buffer.int32
  const low = offset >>> 2
  const high = low + 1
  let highBits = loadAcquire(int32, high)
  for (;;) {
    const lowBits = loadAcquire(int32, low)
    // Atomics, so that no compiler takes this for the load before.
    const highBitsAgain = Atomics.load(int32, high)
    if (highBits === highBitsAgain) {
      return highBits * TWO_POW_32 + (lowBits >>> 0)
    }
    highBits = highBitsAgain
  }
}

/** Reads a field that no one but the caller writes, so that it cannot change meanwhile. */
export const loadExclusive = (buffer: AtomicBuffer, offset: number): number => {
  const low = offset >>> 2
  return buffer.int32[low + 1]! * TWO_POW_32 + (buffer.int32[low]! >>> 0)
}

/** Stores a field that no one else writes. */
export const storeExclusiveRelease = (buffer: AtomicBuffer, offset: number, value: number): void => {
  // ToInt32 keeps the value modulo 2^32: exactly its low half, also for a double beyond 2^32.
  storeHalvesExclusiveRelease(buffer, offset, Math.floor(value / TWO_POW_32), value | 0)
}

/**
 * Stores the field at `source` plus `delta`, from 0 to 2^31, into the field at `target`; no one else writes either. The
 * sum is never a number: one beyond 2^31 that passes through a function is 16 bytes of garbage.
 */
export const storeSumExclusiveRelease = (buffer: AtomicBuffer, target: number, source: number, delta: number): void => {
  const low = (buffer.int32[source >>> 2]! >>> 0) + delta
  const carry = low >= TWO_POW_32 ? 1 : 0
  storeHalvesExclusiveRelease(buffer, target, buffer.int32[(source >>> 2) + 1]! + carry, low | 0)
}

/**
 * While the high half stays the same one 32-bit store of the low half is the whole change; else the field is stored as
 * one 64-bit value, so a reader never sees two halves of two values.
 */
const storeHalvesExclusiveRelease = (buffer: AtomicBuffer, offset: number, high: number, low: number): void => {
  const index = offset >>> 2
  if (buffer.int32[index + 1] === high) {
    storeRelease(buffer.int32, index, low)
  } else {
    Atomics.store(buffer.int64, offset / 8, BigInt(high) * BigInt(TWO_POW_32) + BigInt(low >>> 0))
  }
}
