import { assert } from "../memory/Assert.ts"
import { type IdleStrategy, SPIN, WAIT_NS_MAX } from "./IdleStrategy.ts"

/** Waits the same time after every cycle without work. */
export class SleepingIdleStrategy implements IdleStrategy {
  readonly #sleepNs: number

  constructor(sleepNs: number) {
    assert(sleepNs > 0 && sleepNs <= WAIT_NS_MAX, "a sleep lasts more than 0 and at most 100 ms")
    this.#sleepNs = sleepNs
  }

  idle(workCount: number): number {
    return workCount > 0 ? SPIN : this.#sleepNs
  }
}
