/** How long syncs took, in a histogram of Node's: a quantile is at most a hundredth too long. The longest is kept as it was. */
import { createHistogram } from "node:perf_hooks"
import type * as StoreCounters from "../counters/StoreCounters.ts"

/** Of the figures of a time so many count. */
const FIGURES = 2

export class SyncTimes implements StoreCounters.SyncTimes {
  readonly #histogram = createHistogram({ figures: FIGURES })
  maxNs = 0

  get count(): number {
    return this.#histogram.count
  }

  add(ns: number): void {
    this.#histogram.record(Math.max(1, Math.round(ns)))
    this.maxNs = Math.max(this.maxNs, ns)
  }

  quantileNs(part: number): number {
    // Node has no quantile 0: that is the least of its steps.
    return Math.min(this.maxNs, this.#histogram.percentile(Math.max(Number.MIN_VALUE, 100 * part)))
  }

  clear(): void {
    this.#histogram.reset()
    this.maxNs = 0
  }
}
