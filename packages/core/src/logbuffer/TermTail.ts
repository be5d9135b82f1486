/**
 * The tail counters of the three terms: int64 values of term id in the high half and offset in the low one. A tail is
 * moved before anything is written behind it; an offset beyond the term's end says that a claim overshot and the log
 * has to be rotated.
 *
 * A `TermTail` is a cursor: `load` and `getAndAdd` leave the two halves of what they read in its fields, which costs
 * no allocation. One belongs to one appender or unblocker, never to two threads.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { loadAcquire } from "../memory/Ordering.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"

export class TermTail {
  termId = 0
  /** The offset as the counter holds it: it may lie beyond the term's end. */
  termOffset = 0
  private readonly metadata: AtomicBuffer
  private readonly scratch = new BigInt64Array(1)
  private readonly scratchWords = new Int32Array(this.scratch.buffer)
  private increment = 0n
  private incrementLength = 0

  constructor(metadata: AtomicBuffer) {
    this.metadata = metadata
  }

  /**
   * Reads a tail without a BigInt, as two words. A tail only grows, its term id included, so when the high word is the
   * same before and after the low one, the pair is a value that was there.
   */
  load(partitionIndex: number): void {
    assertOpen(this.metadata.state)
    const words = this.metadata.int32
    const low = LogBufferDescriptor.tailCounterOffset(partitionIndex) >>> 2
    let high = loadAcquire(words, low + 1)
    for (;;) {
      const offset = loadAcquire(words, low)
      // Atomics, so that no compiler takes this for the load above.
      const highAgain = Atomics.load(words, low + 1)
      if (high === highAgain) {
        this.termId = high
        this.termOffset = offset >>> 0
        return
      }
      high = highAgain
    }
  }

  /** The position behind everything claimed: the end of the active term at most, until that is rotated. */
  producerPosition(termLength: number): number {
    const termCount = loadAcquire(this.metadata.int32, LogBufferDescriptor.ACTIVE_TERM_COUNT_OFFSET >>> 2)
    this.load(LogBufferDescriptor.indexByTermCount(termCount))
    return termCount * termLength + Math.min(this.termOffset, termLength)
  }

  /**
   * Moves a tail by `length` and leaves in the fields what it was. As in Aeron an addition, never a compare and swap:
   * it succeeds always, and each of the writers that overshoot the end sees from its own old value what it has to do.
   * One BigInt is allocated, the result; the increment is kept while the length stays the same.
   */
  getAndAdd(partitionIndex: number, length: number): void {
    assertOpen(this.metadata.state)
    if (length !== this.incrementLength) {
      this.increment = BigInt(length)
      this.incrementLength = length
    }
    const index = LogBufferDescriptor.tailCounterOffset(partitionIndex) / 8
    this.scratch[0] = Atomics.add(this.metadata.int64, index, this.increment)
    this.termOffset = this.scratchWords[0]! >>> 0
    this.termId = this.scratchWords[1]!
  }
}

/** The int64 of a tail. */
export const packTail = (termId: number, termOffset: number): bigint => (BigInt(termId) << 32n) | BigInt(termOffset)

export const termIdOf = (rawTail: bigint): number => Number(rawTail >> 32n)
