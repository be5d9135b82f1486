import * as Effect from "effect/Effect"
import type { IdleStrategy } from "../IdleStrategy.ts"
import { makeIdleStrategy } from "./idleStrategies.ts"

const NS_PER_MS = 1_000_000

/** How a fiber waits for shared memory: give it what the last look brought, and it returns the wait before the next. */
export const makeIdleWait = (strategy: IdleStrategy): ((workCount: number) => Effect.Effect<void>) => {
  const idle = makeIdleStrategy(strategy)
  return (workCount) => {
    const waitNs = idle.idle(workCount)
    if (workCount > 0) {
      return Effect.void
    }
    // A timer's shortest wait is a millisecond: shorter ones are a turn of the event loop.
    return waitNs < NS_PER_MS ? Effect.yieldNow : Effect.sleep(waitNs / NS_PER_MS)
  }
}
