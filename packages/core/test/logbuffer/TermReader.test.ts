import { assert, describe, it } from "@effect/vitest"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { BufferClaim } from "../../src/logbuffer/BufferClaim.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import { CorruptFrame } from "../../src/logbuffer/FrameDescriptor.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import * as TermBlockScanner from "../../src/logbuffer/TermBlockScanner.ts"
import { scanForAvailability, TermScan } from "../../src/logbuffer/TermScanner.ts"
import * as TermReader from "../../src/logbuffer/TermReader.ts"
import { AssertionError } from "../../src/memory/Assert.ts"
import { makeLog, message, TERM_LENGTH, thrownBy } from "./testLog.ts"

const logOf = (lengths: ReadonlyArray<number>) => {
  const log = makeLog()
  const appender = new ExclusiveTermAppender(log)
  lengths.forEach((length, index) => appender.append(message(index, length), 0, length))
  return { log, appender }
}

const readAll = (reader: BatchReader, capacity = 8) => {
  const batch = new FragmentBatch(capacity)
  const batches: Array<ReadonlyArray<ReadonlyArray<number>>> = []
  while (reader.read(batch) > 0) {
    batches.push(Array.from({ length: batch.count }, (_, index) => Array.from(batch.message(index))))
  }
  return batches
}

describe("TermReader", () => {
  it("hands over at most the frames asked for and goes on behind them", () => {
    const { log } = logOf([8, 40, 100])
    const cursor = new TermReader.TermCursor()
    const seen: Array<readonly [number, number]> = []
    const read = (limit: number) =>
      TermReader.read(log.terms[0], 5 * TERM_LENGTH, cursor, limit, (_, __, length, header) =>
        seen.push([length, header.position - 5 * TERM_LENGTH])
      )
    assert.strictEqual(read(2), 2)
    assert.strictEqual(cursor.termOffset, 160)
    assert.strictEqual(read(2), 1)
    assert.strictEqual(read(2), 0)
    assert.deepStrictEqual(seen, [
      [8, 64],
      [40, 160],
      [100, 320]
    ])
  })

  it("stops before a frame that is claimed and not published", () => {
    const log = makeLog()
    const appender = new TermAppender(log)
    const claim = new BufferClaim()
    appender.append(message(0, 8), 0, 8)
    appender.claim(8, claim)
    appender.append(message(1, 8), 0, 8)
    const cursor = new TermReader.TermCursor()
    const handler = () => {}
    assert.strictEqual(TermReader.read(log.terms[0], 0, cursor, 10, handler), 1)
    assert.strictEqual(TermReader.read(log.terms[0], 0, cursor, 10, handler), 0)
    claim.commit()
    assert.strictEqual(TermReader.read(log.terms[0], 0, cursor, 10, handler), 2)
  })

  it("is behind the frame whose handler threw", () => {
    const { log } = logOf([8, 8])
    const cursor = new TermReader.TermCursor()
    const failure = new Error("not today")
    assert.strictEqual(
      thrownBy(() =>
        TermReader.read(log.terms[0], 0, cursor, 10, () => {
          throw failure
        })
      ),
      failure
    )
    assert.strictEqual(cursor.termOffset, 64)
  })

  it("refuses a frame length that cannot be, and says where", () => {
    for (const frameLength of [1, 31, TERM_LENGTH - 64 + 1, 2 ** 31 - 1]) {
      const { log } = logOf([8])
      log.terms[0].int32[16] = frameLength
      const cursor = new TermReader.TermCursor()
      const error = thrownBy(() => TermReader.read(log.terms[0], 0, cursor, 10, () => {}))
      assert.instanceOf(error, CorruptFrame)
      assert.deepStrictEqual([error.termOffset, error.frameLength], [64, frameLength])
      assert.strictEqual(cursor.termOffset, 64)
      assert.instanceOf(
        thrownBy(() => readAll(new BatchReader(log, 64))),
        CorruptFrame
      )
      assert.instanceOf(
        thrownBy(() => TermBlockScanner.scan(log.terms[0], 0, TERM_LENGTH)),
        CorruptFrame
      )
      assert.instanceOf(
        thrownBy(() => scanForAvailability(log.terms[0], 64, 1408, new TermScan())),
        CorruptFrame
      )
    }
  })

  it("refuses to begin outside the term or between frames", () => {
    const { log } = logOf([8])
    for (const offset of [-32, 16, TERM_LENGTH + 32]) {
      const cursor = new TermReader.TermCursor()
      cursor.termOffset = offset
      assert.throws(() => TermReader.read(log.terms[0], 0, cursor, 1, () => {}), AssertionError)
    }
  })
})
