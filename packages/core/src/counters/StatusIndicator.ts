/**
 * A counter whose value is a status: it goes up and down, so it is always one 64-bit access. Channel statuses are -1
 * errored, 0 initializing, 1 active, 2 closing.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { AtomicCounter } from "./AtomicCounter.ts"

export class StatusIndicator {
  readonly id: number
  private readonly counter: AtomicCounter

  constructor(values: AtomicBuffer, id: number) {
    this.id = id
    this.counter = new AtomicCounter(values, id)
  }

  getVolatile(): number {
    return Number(this.counter.get())
  }

  setRelease(status: number): void {
    this.counter.set(BigInt(status))
  }
}
