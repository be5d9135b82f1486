/** The time, passed to whatever needs it: real, cached for a duty cycle, or simulated. */
export interface Clock {
  /** Nanoseconds since some fixed moment: for durations and deadlines. Never goes back; the same in every thread. */
  nanoTime(): number
  /** Milliseconds since 1970: what is stored in files and compared between processes. */
  epochMs(): number
}
