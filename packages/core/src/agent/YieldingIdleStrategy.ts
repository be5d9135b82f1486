import { type IdleStrategy, SPIN, YIELD } from "./IdleStrategy.ts"

/** Lets others have the processor after every cycle without work, and is back as soon as nobody wants it. */
export class YieldingIdleStrategy implements IdleStrategy {
  idle(workCount: number): number {
    return workCount > 0 ? SPIN : YIELD
  }
}
