/**
 * Nanoseconds since 1970, of a clock that tells whole milliseconds of that and nanoseconds since some other moment. How
 * far these are apart is known only to a millisecond by one reading, but each reading has another part of a millisecond:
 * between the ends of what fits them all is soon less than a microsecond. A wall clock that is set is followed at once.
 */
import type { Clock } from "@millrace/core/kernel/agent/Clock"

const NS_PER_MS = 1e6
/** The first readings are repeated until they are as exact as that, which takes a millisecond to begin, */
const EXACT_NS = 2000
/** but not for longer: on a busy machine a thread may lose its processor at that moment. */
const FIRST_READINGS_NS = 20e6

export class EpochNanoClock {
  private readonly clock: Clock
  /** Where both clocks are counted from here: the numbers since then are exact in a double. */
  private readonly originNs: number
  private readonly originMs: number
  /** The time since `originMs` less that since `originNs` is at least and at most this. */
  private leastOffsetNs = -Infinity
  private mostOffsetNs = Infinity

  constructor(clock: Clock) {
    this.clock = clock
    this.originMs = clock.epochMs()
    this.originNs = clock.nanoTime()
    let readNs = this.read()
    let lastNs: number
    do {
      lastNs = readNs
      readNs = this.read()
      // A clock that stands still, in a test, says nothing more.
    } while (this.mostOffsetNs - this.leastOffsetNs > EXACT_NS && readNs > lastNs && readNs < FIRST_READINGS_NS)
  }

  nanoTime(): bigint {
    const sinceNs = this.read() + (this.leastOffsetNs + this.mostOffsetNs) / 2
    return BigInt(this.originMs) * BigInt(NS_PER_MS) + BigInt(Math.round(sinceNs))
  }

  /** Nanoseconds since `originNs`. The millisecond read between two readings of it began before one and ends after the other. */
  private read(): number {
    const { clock, originMs, originNs } = this
    const beforeNs = clock.nanoTime() - originNs
    const beginNs = (clock.epochMs() - originMs) * NS_PER_MS
    const afterNs = clock.nanoTime() - originNs
    const least = beginNs - afterNs
    const most = beginNs + NS_PER_MS - beforeNs
    // Of a clock that was set nothing is known but that it is here now: the nearest that fits.
    if (least > this.mostOffsetNs) {
      this.settle(least)
    } else if (most < this.leastOffsetNs) {
      this.settle(most)
    } else {
      this.leastOffsetNs = Math.max(this.leastOffsetNs, least)
      this.mostOffsetNs = Math.min(this.mostOffsetNs, most)
    }
    return afterNs
  }

  private settle(offsetNs: number): void {
    this.leastOffsetNs = offsetNs
    this.mostOffsetNs = offsetNs
  }
}
