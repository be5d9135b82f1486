/** Tails that several threads move, each in a cache line of its own, and for each claim of each tail how often it was made. */
import { assert } from "@effect/vitest"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"

const LINE = 64
export const CLAIM_LENGTH = 8
/** Claims of one tail: half of them before the carry. */
export const CLAIMS = 4096

const CLAIMS_BEFORE_CARRY = CLAIMS / 2
/** Who is ready to begin. */
const READY_OFFSET = 0

export const regionLength = (tailCount: number): number => LINE + tailCount * (LINE + CLAIMS)

export const tailOffset = (tail: number): number => LINE + tail * LINE

export const claimIndex = (tailCount: number, tail: number, claim: number): number =>
  tailOffset(tailCount) + tail * CLAIMS + claim

/** Where a tail starts: before 2^32, 2^33 and 3 * 2^32 in turn. */
export const startOf = (tail: number): number => ((tail % 3) + 1) * 2 ** 32 - CLAIMS_BEFORE_CARRY * CLAIM_LENGTH

export const start = (memory: AtomicBuffer, tailCount: number): void => {
  for (let tail = 0; tail < tailCount; tail++) {
    memory.view.setBigInt64(tailOffset(tail), BigInt(startOf(tail)), true)
  }
}

/** Goes on when as many have come here. */
export const meet = (memory: AtomicBuffer, count: number): void => {
  Atomics.add(memory.int32, READY_OFFSET, 1)
  while (Atomics.load(memory.int32, READY_OFFSET) < count) {
    // Without a pause: whoever sleeps here comes too late.
  }
}

/** Checks every claim of every tail; returns how many are nobody's. */
export const check = (memory: AtomicBuffer, tailCount: number): number => {
  let nobodys = 0
  for (let tail = 0; tail < tailCount; tail++) {
    const end = memory.view.getBigInt64(tailOffset(tail), true)
    assert.strictEqual(end, BigInt(startOf(tail) + CLAIMS * CLAIM_LENGTH), `tail ${tail}`)
    for (let claim = 0; claim < CLAIMS; claim++) {
      const count = memory.bytes[claimIndex(tailCount, tail, claim)]!
      if (count !== 1) {
        assert.isTrue(count === 0 && claim < CLAIMS_BEFORE_CARRY, `claim ${claim} of tail ${tail} is of ${count}`)
        nobodys++
      }
    }
  }
  return nobodys
}
