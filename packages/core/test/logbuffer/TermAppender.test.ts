import { assert, describe, it } from "@effect/vitest"
import * as FrameDescriptor from "../../src/logbuffer/FrameDescriptor.ts"
import { InvalidLog } from "../../src/logbuffer/LogBuffers.ts"
import { ADMIN_ACTION, MAX_POSITION_EXCEEDED } from "../../src/logbuffer/OfferResult.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import { TermTail } from "../../src/logbuffer/TermTail.ts"
import * as Contract from "./MessageAppenderContract.ts"
import { makeLog, message, TERM_LENGTH, thrownBy, viewOf } from "./testLog.ts"

Contract.suite("TermAppender", (log) => new TermAppender(log))

describe("TermAppender among other writers", () => {
  it("gives each writer the range behind the other's", () => {
    const log = makeLog()
    const [one, two] = [new TermAppender(log), new TermAppender(viewOf(log))]
    assert.strictEqual(one.append(message(1, 8), 0, 8), 64)
    assert.strictEqual(two.append(message(2, 40), 0, 40), 160)
    assert.strictEqual(one.append(message(3, 8), 0, 8), 224)
    assert.strictEqual(two.position(), 224)
    assert.deepStrictEqual(
      Contract.fragmentsOf(log, 0).map(({ bytes }) => bytes),
      [message(1, 8), message(2, 40), message(3, 8)].map((bytes) => Array.from(bytes))
    )
  })

  it("lets the second writer that overshoots pad nothing and still find the log rotated", () => {
    const log = makeLog({ termOffset: TERM_LENGTH - 64 })
    const [one, two] = [new TermAppender(log), new TermAppender(viewOf(log))]
    // Both have moved the tail before either handles the end: the order that two threads can fall into.
    const tail = new TermTail(log.metadata)
    tail.getAndAdd(0, 160)
    assert.strictEqual(two.append(message(1, 100), 0, 100), ADMIN_ACTION)
    assert.strictEqual(FrameDescriptor.frameLengthAcquire(log.terms[0], TERM_LENGTH - 64), 0)
    assert.strictEqual(one.append(message(1, 100), 0, 100), TERM_LENGTH + 160)
    tail.load(0)
    assert.strictEqual(tail.termOffset, TERM_LENGTH - 64 + 320)
  })

  it("answers ADMIN_ACTION for its position while the next tail is set and the count is not", () => {
    const log = makeLog({ termOffset: TERM_LENGTH })
    const appender = new TermAppender(log)
    const ahead = makeLog({ termCount: 3 })
    log.metadata.bytes.set(ahead.metadata.bytes.subarray(0, 24))
    assert.strictEqual(appender.position(), ADMIN_ACTION)
  })

  it("claims in the term that is there now when it was held up for a whole turn", () => {
    const log = makeLog()
    const held = new TermAppender(log)
    const other = new TermAppender(viewOf(log))
    // The held writer has read term count 0; the others go through three terms before it adds.
    const staleCount = log.metadata.int32.slice(6, 7)
    while (other.position() < 3 * TERM_LENGTH) {
      other.append(message(1, 8000), 0, 8000)
    }
    log.terms[0].bytes.fill(0)
    const activeCount = log.metadata.int32[6]!
    log.metadata.int32[6] = staleCount[0]!
    const position = held.append(message(2, 8), 0, 8)
    log.metadata.int32[6] = activeCount
    assert.strictEqual(position, 3 * TERM_LENGTH + 64)
    assert.strictEqual(other.position(), 3 * TERM_LENGTH + 64)
    assert.strictEqual(Contract.fragmentsOf(log, 0)[0]!.termId, 10)
  })

  it("stops adding to the last tail of a stream, so that it never carries into the term id", () => {
    const log = makeLog({ termCount: 2 ** 31 - 1, termOffset: TERM_LENGTH - 32 })
    const appender = new TermAppender(log)
    for (let attempt = 0; attempt < 1000; attempt++) {
      assert.strictEqual(appender.append(message(1, 8192), 0, 8192), MAX_POSITION_EXCEEDED)
    }
    const tail = new TermTail(log.metadata)
    tail.load((2 ** 31 - 1) % 3)
    assert.isBelow(tail.termOffset, 2 * TERM_LENGTH)
  })

  it("refuses a log whose tail belongs to no term of its partition", () => {
    for (const rawTail of [(9n << 32n) | 64n, (7n << 32n) | 33n, (6n << 32n) | 0n]) {
      const log = makeLog()
      const appender = new TermAppender(log)
      log.metadata.int64[0] = rawTail
      assert.instanceOf(
        thrownBy(() => appender.append(message(1, 8), 0, 8)),
        InvalidLog
      )
      assert.isTrue(log.terms.every((term) => term.bytes.every((byte) => byte === 0)))
    }
  })
})
