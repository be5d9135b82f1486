/**
 * Decides what a runner does after a duty cycle. A strategy only answers; the runner spins, yields or waits, each in the
 * way of its thread. So a strategy is a small state machine without clock or system call.
 */
export interface IdleStrategy {
  /** The answer to a duty cycle with this work count: `SPIN`, `TURN`, `YIELD`, or nanoseconds to wait at most. */
  idle(workCount: number): number
}

/** Run the next duty cycle at once. */
export const SPIN = 0

/** Let the event loop have its turn, then run the next duty cycle. */
export const TURN = -1

/** Let other threads have the processor, and the event loop its turn, then run the next duty cycle. */
export const YIELD = -2

/** No wait is longer than this, so that nothing goes unnoticed for longer than a tenth of a second. */
export const WAIT_NS_MAX = 100_000_000
