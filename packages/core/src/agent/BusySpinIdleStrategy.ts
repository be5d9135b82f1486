import { type IdleStrategy, SPIN } from "./IdleStrategy.ts"

/** Never waits: the lowest latency for a whole core. */
export class BusySpinIdleStrategy implements IdleStrategy {
  idle(_workCount: number): number {
    return SPIN
  }
}
