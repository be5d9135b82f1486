/**
 * Numbers that look random and are the same for the same seed, on every machine (mulberry32). A simulation has one
 * source for each thing that chance decides, so that a change in one does not shift the numbers of another.
 */
export class SeededRandom {
  private state: number

  constructor(seed: number) {
    this.state = seed | 0
  }

  /** From 0 up to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number of 32 bits, signed. */
  int32(): number {
    return Math.floor(this.next() * 2 ** 32) | 0
  }

  /** From 0 up to `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** From `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(from: ReadonlyArray<A>): A {
    return from[this.below(from.length)]!
  }

  /** Another source, whose numbers do not depend on how many are taken from this one afterwards. */
  fork(): SeededRandom {
    return new SeededRandom(this.int32())
  }
}
