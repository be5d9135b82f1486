import { BackoffIdleStrategy } from "../agent/BackoffIdleStrategy.ts"
import { BusySpinIdleStrategy } from "../agent/BusySpinIdleStrategy.ts"
import type { IdleStrategy as IdleStrategyKernel } from "../agent/IdleStrategy.ts"
import { ParkIdleStrategy } from "../agent/ParkIdleStrategy.ts"
import { SleepingIdleStrategy } from "../agent/SleepingIdleStrategy.ts"
import { YieldingIdleStrategy } from "../agent/YieldingIdleStrategy.ts"
import type { IdleStrategy } from "../IdleStrategy.ts"

/** The state machine for a described strategy. Each runner needs its own. */
export const makeIdleStrategy = (strategy: IdleStrategy): IdleStrategyKernel => {
  switch (strategy._tag) {
    case "BusySpin":
      return new BusySpinIdleStrategy()
    case "Yielding":
      return new YieldingIdleStrategy()
    case "Sleeping":
      return new SleepingIdleStrategy(strategy.sleepNs)
    case "Backoff":
      return new BackoffIdleStrategy(strategy)
    case "Park":
      return new ParkIdleStrategy(strategy)
  }
}
