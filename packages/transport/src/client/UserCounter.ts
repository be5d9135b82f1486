/**
 * A counter of this client's own, in the counters of its driver. Once it is closed it is not touched any more: its place
 * may belong to another counter, or the memory may be gone.
 */
import type { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"

export class UserCounter {
  readonly registrationId: bigint
  readonly counterId: number
  /** It belongs to nobody, and outlives those who know it. */
  readonly isStatic: boolean
  private readonly counter: AtomicCounter
  private closedValue: bigint | undefined = undefined

  constructor(registrationId: bigint, counter: AtomicCounter, isStatic: boolean) {
    this.registrationId = registrationId
    this.counterId = counter.id
    this.isStatic = isStatic
    this.counter = counter
  }

  get isClosed(): boolean {
    return this.closedValue !== undefined
  }

  /** Now, or when it was closed. */
  get value(): bigint {
    return this.closedValue ?? this.counter.get()
  }

  /** False when it is closed. */
  set(value: bigint): boolean {
    if (this.isClosed) {
      return false
    }
    this.counter.set(value)
    return true
  }

  /** What the value was before; undefined when it is closed. */
  getAndAdd(delta: bigint): bigint | undefined {
    return this.isClosed ? undefined : this.counter.getAndAdd(delta)
  }

  close(): void {
    this.closedValue ??= this.counter.get()
  }
}
