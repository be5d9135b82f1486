/**
 * Moving on to the next term. The tail of the next term is set first and the active term count after it, so a writer
 * that reads the new count finds a tail that belongs to it.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { storeRelease } from "../memory/Ordering.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"
import { packTail, termIdOf } from "./TermTail.ts"

const ACTIVE_TERM_COUNT_INDEX = LogBufferDescriptor.ACTIVE_TERM_COUNT_OFFSET >>> 2

/**
 * Rotates a log that several writers share. Every writer that overshot the end, and the unblocker, may call it for the
 * same term: one of them sets the tail and one moves the count, the others find it done. A writer that was held up
 * for a whole turn of the three terms finds neither its expected tail nor its count and changes nothing.
 *
 * @returns true for the caller that moved the count
 */
export const rotate = (metadata: AtomicBuffer, termCount: number, termId: number): boolean => {
  assertOpen(metadata.state)
  const nextTermId = (termId + 1) | 0
  const nextTermCount = termCount + 1
  const nextIndex = LogBufferDescriptor.indexByTermCount(nextTermCount)
  const expectedTermId = (nextTermId - LogBufferDescriptor.PARTITION_COUNT) | 0
  const tailIndex = LogBufferDescriptor.tailCounterOffset(nextIndex) / 8
  for (;;) {
    const rawTail = Atomics.load(metadata.int64, tailIndex)
    if (termIdOf(rawTail) !== expectedTermId) {
      break
    }
    if (Atomics.compareExchange(metadata.int64, tailIndex, rawTail, packTail(nextTermId, 0)) === rawTail) {
      break
    }
  }
  return Atomics.compareExchange(metadata.int32, ACTIVE_TERM_COUNT_INDEX, termCount, nextTermCount) === termCount
}

/** Rotates a log of one writer: nobody else moves its tails or its count. */
export const rotateExclusive = (metadata: AtomicBuffer, nextTermCount: number, nextTermId: number): void => {
  assertOpen(metadata.state)
  const tailIndex = LogBufferDescriptor.tailCounterOffset(LogBufferDescriptor.indexByTermCount(nextTermCount)) / 8
  Atomics.store(metadata.int64, tailIndex, packTail(nextTermId, 0))
  storeRelease(metadata.int32, ACTIVE_TERM_COUNT_INDEX, nextTermCount)
}
