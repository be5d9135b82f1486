/**
 * What happened in a run, as one number: two runs are the same when their traces are. FNV-1a over the numbers that were
 * noted, in two lanes.
 */
export class Trace {
  private low = 0x811c9dc5
  private high = 0x9dc5811c
  count = 0

  note(...values: ReadonlyArray<number>): void {
    for (const value of values) {
      // A position may be longer than 32 bits.
      this.mix(value | 0)
      this.mix(Math.floor(value / 2 ** 32) | 0)
    }
    this.count++
  }

  get hash(): string {
    const hex = (lane: number): string => (lane >>> 0).toString(16).padStart(8, "0")
    return `${hex(this.high)}${hex(this.low)}`
  }

  private mix(value: number): void {
    this.low = Math.imul(this.low ^ value, 0x01000193)
    this.high = Math.imul(this.high ^ (value + (this.low >>> 16)), 0x01000193)
  }
}
