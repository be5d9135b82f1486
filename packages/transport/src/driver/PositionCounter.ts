/** A counter of the driver that holds a position or a time: read and set by number, given back on close. */
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"

export class PositionCounter {
  readonly id: number
  private readonly counter: AtomicCounter
  private readonly counters: CountersManager
  private isClosed = false

  constructor(counters: CountersManager, id: number) {
    this.id = id
    this.counters = counters
    this.counter = new AtomicCounter(counters.values, id)
  }

  getVolatile(): number {
    return this.counter.getVolatile()
  }

  setRelease(value: number): void {
    this.counter.setRelease(value)
  }

  /** A value that may also go down, as a heartbeat does when its client closes. */
  get(): number {
    return Number(this.counter.get())
  }

  set(value: number): void {
    this.counter.set(BigInt(value))
  }

  /** Gives the counter back. May be called more than once: a link and its stream both end it. */
  close(): void {
    if (!this.isClosed) {
      this.isClosed = true
      this.counters.free(this.id)
    }
  }
}
