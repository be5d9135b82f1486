/**
 * Nanoseconds since 1970, of a clock that tells whole milliseconds of that and nanoseconds since some other moment. How
 * far these are apart is known only to a millisecond by one reading, but each reading has another part of a millisecond:
 * what fits them all is soon known to a fraction of a microsecond. A wall clock that is set is followed at once.
 */
import type { Clock } from "@millrace/core/kernel/agent/Clock"

const NS_PER_MS = 1e6
/** The first readings are repeated until a millisecond begins, but not for longer. */
const FIRST_READINGS_NS = 2e6

export class EpochNanoClock {
  private readonly clock: Clock
  /** Where both clocks are counted from here: the numbers since then are exact in a double. */
  private readonly originNs: number
  private readonly originMs: number
  /** The time since `originMs` less that since `originNs`. */
  private offsetNs: number

  constructor(clock: Clock) {
    this.clock = clock
    this.originMs = clock.epochMs()
    this.originNs = clock.nanoTime()
    this.offsetNs = NS_PER_MS / 2
    let readNs = this.originNs
    let lastNs: number
    do {
      lastNs = readNs
      readNs = this.read() + this.originNs
      // A clock that stands still, in a test, says nothing more.
    } while (readNs > lastNs && clock.epochMs() === this.originMs && readNs - this.originNs < FIRST_READINGS_NS)
    this.read()
  }

  nanoTime(): bigint {
    const sinceNs = this.read() + this.offsetNs
    return BigInt(this.originMs) * BigInt(NS_PER_MS) + BigInt(Math.round(sinceNs))
  }

  /** Nanoseconds since `originNs`. The millisecond read between two readings of it began before one and ends after the other. */
  private read(): number {
    const { clock, originMs, originNs } = this
    const beforeNs = clock.nanoTime() - originNs
    const beginNs = (clock.epochMs() - originMs) * NS_PER_MS
    const afterNs = clock.nanoTime() - originNs
    this.offsetNs = Math.min(Math.max(this.offsetNs, beginNs - afterNs), beginNs + NS_PER_MS - beforeNs)
    return afterNs
  }
}
