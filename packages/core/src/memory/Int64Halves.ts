/**
 * A 64-bit position held as its two halves: it is read and compared without a number beyond 2^31, which would be 16 bytes
 * of garbage whenever it passes through a function.
 */
import type { AtomicBuffer } from "./AtomicBuffer.ts"
import { loadAcquire } from "./Ordering.ts"

const TWO_POW_32 = 4294967296

export class Int64Halves {
  low = 0
  high = 0

  /** Reads a field that only grows (see `Int64.loadMonotonic`). */
  loadMonotonic(buffer: AtomicBuffer, offset: number): void {
    const int32 = buffer.int32
    const index = offset >>> 2
    let high = loadAcquire(int32, index + 1)
    for (;;) {
      this.low = loadAcquire(int32, index)
      // Atomics, so that no compiler takes this for the load before.
      this.high = Atomics.load(int32, index + 1)
      if (this.high === high) {
        return
      }
      high = this.high
    }
  }

  /** Reads a field that no one but the caller writes. */
  loadExclusive(buffer: AtomicBuffer, offset: number): void {
    this.low = buffer.int32[offset >>> 2]!
    this.high = buffer.int32[(offset >>> 2) + 1]!
  }

  /** Whether the position is one that a number holds exactly. */
  get isExact(): boolean {
    return this.high >= 0 && this.high < 2 ** 21
  }

  /** Whether this position is more than `distance` ahead of another. */
  isFurtherThan(other: Int64Halves, distance: number): boolean {
    return (this.high - other.high) * TWO_POW_32 + ((this.low >>> 0) - (other.low >>> 0)) > distance
  }

  /**
   * Moves a field that others write too by `delta`, if it still holds this position, which is exact; returns whether it
   * did. It makes three BigInts of 24 bytes, and two numbers of 16 beyond 2^31.
   */
  compareAndAdd(buffer: AtomicBuffer, offset: number, delta: number): boolean {
    const position = this.high * TWO_POW_32 + (this.low >>> 0)
    const expected = BigInt(position)
    return Atomics.compareExchange(buffer.int64, offset / 8, expected, BigInt(position + delta)) === expected
  }

  /**
   * As `compareAndAdd`, in a third of the time and without a BigInt: only the low half is compared and set, which the
   * architecture must let it (`Ordering.halfWordAtomicsAreCoherent`). For a field that only grows, and a sum that does
   * not carry.
   *
   * When the high half is the same afterwards it was so before, since it never returns to an earlier value, and this was
   * a compare-and-set of the whole. Otherwise it returns false though the field has moved: 4 GiB went by during this call.
   */
  compareAndAddLow(buffer: AtomicBuffer, offset: number, delta: number): boolean {
    const index = offset >>> 2
    const int32 = buffer.int32
    const low = this.low
    return (
      Atomics.compareExchange(int32, index, low, (low + delta) | 0) === low &&
      loadAcquire(int32, index + 1) === this.high
    )
  }

  /** Stores this position into a field that others write too. It makes BigInts, as `compareAndAdd` does. */
  storeRelease(buffer: AtomicBuffer, offset: number): void {
    Atomics.store(buffer.int64, offset / 8, BigInt(this.high) * BigInt(TWO_POW_32) + BigInt(this.low >>> 0))
  }
}
