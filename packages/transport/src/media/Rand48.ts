/**
 * The generator of numbers behind C's `erand48`, by which Aeron's driver decides what to lose: with the same seed the
 * same datagrams go.
 *
 *     X(n + 1) = (0x5DEECE66D X(n) + 0xB) mod 2^48,   number = X / 2^48
 */
const HALF = 2 ** 24
const MULTIPLIER_HIGH = 0x5de
const MULTIPLIER_LOW = 0xece66d
const INCREMENT = 0xb

/** Aeron puts the first 16 bits of its seed highest. */
const stateOf = (seed: bigint): bigint => ((seed & 0xffffn) << 32n) | (seed & 0xffff0000n) | ((seed >> 32n) & 0xffffn)

export class Rand48 {
  private high: number
  private low: number

  constructor(seed: bigint) {
    const state = stateOf(seed)
    this.high = Number(state >> 24n)
    this.low = Number(state & 0xffffffn)
  }

  /** From 0 to 1, 1 excluded. */
  next(): number {
    // Each product of two halves is exact in a double.
    const low = this.low * MULTIPLIER_LOW + INCREMENT
    this.high = (this.high * MULTIPLIER_LOW + this.low * MULTIPLIER_HIGH + Math.floor(low / HALF)) % HALF
    this.low = low % HALF
    return (this.high * HALF + this.low) / (HALF * HALF)
  }
}
