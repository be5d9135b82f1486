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

/**
 * Stores a field that no one else writes. While the high half stays the same one 32-bit store of the low half is the
 * whole change; else the field is stored as one 64-bit value, so a reader never sees two halves of two values.
 */
export const storeExclusiveRelease = (buffer: AtomicBuffer, offset: number, value: number): void => {
  const low = offset >>> 2
  if (buffer.int32[low + 1] === Math.floor(value / TWO_POW_32)) {
    // ToInt32 keeps the value modulo 2^32: exactly its low half, also for a double beyond 2^32.
    storeRelease(buffer.int32, low, value | 0)
  } else {
    Atomics.store(buffer.int64, offset / 8, BigInt(value))
  }
}
