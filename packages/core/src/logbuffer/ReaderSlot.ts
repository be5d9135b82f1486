/**
 * A reader's place in a log that is shared without a driver: it asks for one, the keeper lets it in at a position, and
 * from then on the log is not cleaned behind that position. A reader that gives no sign of life for the keeper's timeout
 * loses its place, and sees that at its next look.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Int64 from "../memory/Int64.ts"
import { loadAcquire } from "../memory/Ordering.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as D from "./SharingDescriptor.ts"

export class ReaderSlot {
  private readonly metadata: AtomicBuffer
  private readonly offset: number
  private readonly requested: number

  private constructor(metadata: AtomicBuffer, offset: number, requested: number) {
    this.metadata = metadata
    this.offset = offset
    this.requested = requested
  }

  /** Asks for a place. Undefined when all `READERS_MAX` are taken. */
  static request(metadata: AtomicBuffer): ReaderSlot | undefined {
    assertOpen(metadata.state)
    for (let reader = 0; reader < D.READERS_MAX; reader++) {
      const offset = D.readerOffset(reader)
      const index = (offset + D.STATE_OFFSET) >>> 2
      const word = loadAcquire(metadata.int32, index)
      const requested = D.nextOwner(word)
      if (D.stateOf(word) === D.FREE && Atomics.compareExchange(metadata.int32, index, word, requested) === word) {
        return new ReaderSlot(metadata, offset, requested)
      }
    }
    return undefined
  }

  /** True while the keeper has not answered. */
  get isRequested(): boolean {
    return this.is(D.REQUESTED)
  }

  /** False before the keeper has answered, and for ever once the place was lost. */
  get isActive(): boolean {
    return this.is(D.ACTIVE)
  }

  /** Where the reader was let in, or what it stored last. */
  get position(): number {
    assertOpen(this.metadata.state)
    return Int64.loadMonotonic(this.metadata, this.offset + D.POSITION_OFFSET)
  }

  /** Gives everything before `position` back: the keeper may clean it from now on. For an active reader. */
  release(position: number): void {
    assertOpen(this.metadata.state)
    Int64.storeExclusiveRelease(this.metadata, this.offset + D.POSITION_OFFSET, position)
  }

  /** For an active reader: before that, the keeper waits without a limit of time. */
  heartbeat(nowMs: number): void {
    assertOpen(this.metadata.state)
    Int64.storeExclusiveRelease(this.metadata, this.offset + D.HEARTBEAT_OFFSET, nowMs)
  }

  leave(): void {
    assertOpen(this.metadata.state)
    const index = (this.offset + D.STATE_OFFSET) >>> 2
    // The keeper may answer a request in between; that is the only change it makes to a place that is used.
    for (const state of [D.REQUESTED, D.ACTIVE]) {
      const word = D.withState(this.requested, state)
      Atomics.compareExchange(this.metadata.int32, index, word, D.withState(word, D.LEAVING))
    }
  }

  private is(state: number): boolean {
    assertOpen(this.metadata.state)
    const word = loadAcquire(this.metadata.int32, (this.offset + D.STATE_OFFSET) >>> 2)
    return word === D.withState(this.requested, state)
  }
}
