/**
 * One counter or position by its id. Functions on numbers make no BigInt: `getVolatile` reads a value that only grows (a
 * position, a count), `setRelease`, `addRelease` and `proposeMaxRelease` belong to the one agent that writes the value.
 * Functions on bigints are for any value and any number of writers; a value that may go down is read by them.
 */
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Int64 from "../memory/Int64.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as CountersDescriptor from "./CountersDescriptor.ts"

export class AtomicCounter {
  readonly id: number
  private readonly values: AtomicBuffer
  private readonly offset: number
  private readonly index: number

  /** A window on the counter `id` of the values region. */
  constructor(values: AtomicBuffer, id: number) {
    assertOpen(values.state)
    const offset = CountersDescriptor.valueOffset(id) + CountersDescriptor.VALUE_OFFSET
    assert(Number.isInteger(id) && id >= 0, "counter id is negative")
    assert(offset + CountersDescriptor.VALUE_RECORD_LENGTH <= values.length, "counter id is out of range")
    this.id = id
    this.values = values
    this.offset = offset
    this.index = offset / 8
  }

  /** The value of a counter that only grows. Exact to 2^53, and for positions to 2^58. */
  getVolatile(): number {
    assertOpen(this.values.state)
    return Int64.loadMonotonic(this.values, this.offset)
  }

  /** Sets the value; the caller is the counter's only writer. */
  setRelease(value: number): void {
    assertOpen(this.values.state)
    Int64.storeExclusiveRelease(this.values, this.offset, value)
  }

  /** Adds to the value; the caller is the counter's only writer. */
  addRelease(delta: number): void {
    assertOpen(this.values.state)
    Int64.storeExclusiveRelease(this.values, this.offset, Int64.loadExclusive(this.values, this.offset) + delta)
  }

  /** Raises the value to `value` if it is lower, and returns whether it was; the caller is the only writer. */
  proposeMaxRelease(value: number): boolean {
    if (this.getVolatile() >= value) {
      return false
    }
    this.setRelease(value)
    return true
  }

  /** Any value, exactly. */
  get(): bigint {
    assertOpen(this.values.state)
    return Atomics.load(this.values.int64, this.index)
  }

  set(value: bigint): void {
    assertOpen(this.values.state)
    Atomics.store(this.values.int64, this.index, value)
  }

  /** Adds to the value and returns what it was; for counters that several threads count on. */
  getAndAdd(delta: bigint): bigint {
    assertOpen(this.values.state)
    return Atomics.add(this.values.int64, this.index, delta)
  }

  /** Sets the value to `update` if it is `expected`, and returns whether it was. */
  compareAndSet(expected: bigint, update: bigint): boolean {
    assertOpen(this.values.state)
    return Atomics.compareExchange(this.values.int64, this.index, expected, update) === expected
  }
}
