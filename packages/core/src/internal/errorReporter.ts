import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ErrorHandler } from "../agent/Agent.ts"
import type { Clock } from "../agent/Clock.ts"

const REPORT_INTERVAL_NS = 1_000_000_000

/**
 * Hands errors on, one a second at most: an agent that throws in every duty cycle would drown everything else. Those
 * in between are counted by the runner.
 */
export const atMostOncePerSecond = (clock: Clock, report: ErrorHandler): ErrorHandler => {
  let nextNs = Number.NEGATIVE_INFINITY
  return (error) => {
    const nowNs = clock.nanoTime()
    if (nowNs >= nextNs) {
      nextNs = nowNs + REPORT_INTERVAL_NS
      report(error)
    }
  }
}

/** Logs through the logger of the program that started the agent. */
export const logging =
  (context: Context.Context<never>, roleName: string): ErrorHandler =>
  (error) => {
    Effect.runForkWith(context)(Effect.logError(`agent ${roleName} threw and goes on`, error))
  }
