/** Where the times of duty cycles are kept: counters that other processes can read. */
export interface CycleTimeRecorder {
  /** Raises the longest time seen, if this is longer. */
  proposeMax(cycleTimeNs: number): void
  /** Counts a cycle that took longer than the threshold. */
  thresholdExceeded(): void
}

/**
 * Measures the time from the start of one duty cycle to the start of the next, idling included: it tells whether an
 * agent gets its turn often enough.
 */
export class DutyCycleTracker {
  readonly #thresholdNs: number
  readonly #recorder: CycleTimeRecorder
  #lastNs: number = 0

  constructor(thresholdNs: number, recorder: CycleTimeRecorder) {
    this.#thresholdNs = thresholdNs
    this.#recorder = recorder
  }

  /** Starts measuring from here: at the start of the agent, and after a wait that was meant. */
  update(nowNs: number): void {
    this.#lastNs = nowNs
  }

  measureAndUpdate(nowNs: number): void {
    const cycleTimeNs = nowNs - this.#lastNs
    this.#recorder.proposeMax(cycleTimeNs)
    if (cycleTimeNs > this.#thresholdNs) {
      this.#recorder.thresholdExceeded()
    }
    this.#lastNs = nowNs
  }
}
