import { assert, describe, it } from "@effect/vitest"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import * as FrameDescriptor from "../../src/logbuffer/FrameDescriptor.ts"
import { HeaderWriter } from "../../src/logbuffer/HeaderWriter.ts"
import * as TermGapFiller from "../../src/logbuffer/TermGapFiller.ts"
import { scanForGap, TermGap } from "../../src/logbuffer/TermGapScanner.ts"
import * as TermRebuilder from "../../src/logbuffer/TermRebuilder.ts"
import { makeLog, message, TERM_LENGTH } from "./testLog.ts"

/** A term of eight messages of 160 bytes, of which only some arrived. */
const received = (arrived: ReadonlyArray<number>) => {
  const sent = makeLog()
  const appender = new ExclusiveTermAppender(sent)
  for (let index = 0; index < 8; index++) {
    appender.append(message(index, 100), 0, 100)
  }
  const image = makeLog()
  for (const index of arrived) {
    TermRebuilder.insert(image.terms[0], index * 160, frameBuffer(sent.terms[0].bytes), index * 160, 160)
  }
  return { term: image.terms[0], header: new HeaderWriter(image.metadata) }
}

const scan = (arrived: ReadonlyArray<number>, limit: number, from = 0) => {
  const gap = new TermGap()
  const rebuilt = scanForGap(received(arrived).term, from, limit, gap)
  return [rebuilt, gap.offset, gap.length]
}

describe("TermGapScanner", () => {
  it("reports no gap in what arrived whole", () => {
    assert.deepStrictEqual(scan([0, 1, 2], 480), [480, 480, 0])
    assert.deepStrictEqual(scan([0, 1, 2], 480, 480), [480, 480, 0])
  })

  it("reports a gap at the beginning, in the middle and before the limit", () => {
    assert.deepStrictEqual(scan([1, 2], 480), [0, 0, 160])
    assert.deepStrictEqual(scan([0, 2], 480), [160, 160, 160])
    assert.deepStrictEqual(scan([0, 3, 5], 960), [160, 160, 320])
    assert.deepStrictEqual(scan([0], 480), [160, 160, 320])
  })

  it("reports the first of several gaps, from where it is asked to begin", () => {
    assert.deepStrictEqual(scan([0, 2, 4], 800), [160, 160, 160])
    assert.deepStrictEqual(scan([0, 2, 4], 800, 320), [480, 480, 160])
  })

  it("reports a gap of one header and one at the end of the term", () => {
    assert.deepStrictEqual(scan([0], 192), [160, 160, 32])
    assert.deepStrictEqual(scan([0], TERM_LENGTH), [160, 160, TERM_LENGTH - 160])
  })
})

describe("TermGapFiller", () => {
  it("puts padding in the place of a gap", () => {
    const { header, term } = received([0, 2])
    assert.isTrue(TermGapFiller.tryFillGap(header, term, 7, 160, 160))
    assert.strictEqual(FrameDescriptor.frameLengthAcquire(term, 160), 160)
    assert.isTrue(FrameDescriptor.isPadding(term, 160))
    assert.deepStrictEqual(Array.from(term.int32.subarray(160 / 4 + 2, 160 / 4 + 8)), [
      160,
      header.sessionId,
      header.streamId,
      7,
      0,
      0
    ])
    const gap = new TermGap()
    assert.strictEqual(scanForGap(term, 0, 480, gap), 480)
  })

  it("leaves a gap alone in which something has arrived meanwhile", () => {
    const { header, term } = received([0, 2, 3])
    for (const [offset, length] of [
      [160, 320],
      [0, 160]
    ] as const) {
      const before = term.bytes.slice()
      assert.isFalse(TermGapFiller.tryFillGap(header, term, 7, offset, length))
      assert.deepStrictEqual(term.bytes, before)
    }
  })
})
