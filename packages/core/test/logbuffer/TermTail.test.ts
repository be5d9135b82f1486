import { assert, describe, it } from "@effect/vitest"
import { packTail, TermTail, termIdOf } from "../../src/logbuffer/TermTail.ts"
import { makeLog, TERM_LENGTH } from "./testLog.ts"
import { wakingReader } from "./wakingReader.ts"

describe("TermTail", () => {
  it("reads both halves of a tail, whatever their signs", () => {
    const { metadata } = makeLog()
    const tail = new TermTail(metadata)
    for (const [termId, termOffset] of [
      [-1, 0],
      [-(2 ** 31), 32],
      [2 ** 31 - 1, 2 ** 31],
      [5, 2 ** 32 - 32]
    ] as const) {
      metadata.int64[1] = packTail(termId, termOffset)
      tail.load(1)
      assert.deepStrictEqual([tail.termId, tail.termOffset], [termId, termOffset])
      assert.strictEqual(termIdOf(packTail(termId, termOffset)), termId)
    }
  })

  it("gives what a tail was before an addition, and leaves the other tails alone", () => {
    const { metadata } = makeLog({ initialTermId: -9, termOffset: 96 })
    const before = Array.from(metadata.int64.subarray(0, 4))
    const tail = new TermTail(metadata)
    for (const length of [64, 64, 128]) {
      tail.getAndAdd(0, length)
    }
    assert.deepStrictEqual([tail.termId, tail.termOffset], [-9, 96 + 128])
    assert.deepStrictEqual(Array.from(metadata.int64.subarray(1, 4)), before.slice(1))
    assert.strictEqual(tail.producerPosition(TERM_LENGTH), 96 + 256)
  })

  it("never pairs the term id of one value with the offset of another", () => {
    const { metadata } = makeLog({ termOffset: TERM_LENGTH })
    // Between the first look at the high half and the low one the log goes a whole turn of its terms.
    const woken = wakingReader(metadata, 0, () => {
      metadata.int64[0] = packTail(10, 32)
    })
    const tail = new TermTail(woken.buffer)
    woken.run(() => tail.load(0))
    assert.deepStrictEqual([tail.termId, tail.termOffset], [10, 32])
  })

  it("ends the active term at its length, however far a tail overshot", () => {
    assert.strictEqual(
      new TermTail(makeLog({ termCount: 4, termOffset: TERM_LENGTH + 640 }).metadata).producerPosition(TERM_LENGTH),
      5 * TERM_LENGTH
    )
  })
})
