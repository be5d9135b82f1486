import * as Effect from "effect/Effect"
import { type IdleStrategy as IdleStrategyKernel, SPIN } from "../agent/IdleStrategy.ts"
import type { IdleStrategy } from "../IdleStrategy.ts"
import { yieldProcessor } from "../native/Processor.ts"
import { makeIdleStrategy } from "./idleStrategies.ts"

const NS_PER_MS = 1_000_000

/** How a fiber waits for shared memory, which cannot wake it: longer, the longer there was nothing. */
export class IdleWait {
  readonly #idle: IdleStrategyKernel

  constructor(strategy: IdleStrategy) {
    this.#idle = makeIdleStrategy(strategy)
  }

  /** There was something: the next wait is short again. */
  reset(): void {
    this.#idle.idle(1)
  }

  /** A timer's shortest wait is a millisecond: shorter ones are a turn of the event loop and of the processor. */
  readonly wait: Effect.Effect<void> = Effect.suspend(() => {
    const waitNs = this.#idle.idle(0)
    if (waitNs >= NS_PER_MS) {
      return Effect.sleep(waitNs / NS_PER_MS)
    }
    if (waitNs !== SPIN) {
      yieldProcessor()
    }
    return Effect.yieldNow
  })
}
