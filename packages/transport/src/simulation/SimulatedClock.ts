/**
 * The time of a simulated host. All hosts share what has passed, as machines do; each has a wall clock of its own, which
 * somebody may set.
 */
import type { Clock } from "@millrace/core/kernel/agent/Clock"

/** A whole number of nanoseconds stays exact in a double for a hundred days. */
const START_NS = 1_000_000_000
const START_MS = 1_700_000_000_000
const NS_PER_MS = 1e6

/** What has passed. */
export class SimulatedTime {
  nowNs = START_NS

  advance(ns: number): void {
    this.nowNs += Math.round(ns)
  }
}

export class SimulatedClock implements Clock {
  private readonly time: SimulatedTime
  private offsetMs = START_MS

  constructor(time: SimulatedTime) {
    this.time = time
  }

  nanoTime(): number {
    return this.time.nowNs
  }

  epochMs(): number {
    return this.offsetMs + Math.floor((this.time.nowNs - START_NS) / NS_PER_MS)
  }

  /** Somebody sets the wall clock forward, or back by a negative number. */
  jump(ms: number): void {
    this.offsetMs += ms
  }
}
