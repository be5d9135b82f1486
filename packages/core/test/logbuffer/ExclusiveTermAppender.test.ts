import { assert, describe, it } from "@effect/vitest"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import * as FrameDescriptor from "../../src/logbuffer/FrameDescriptor.ts"
import { InvalidLog } from "../../src/logbuffer/LogBuffers.ts"
import { ADMIN_ACTION, MAX_POSITION_EXCEEDED } from "../../src/logbuffer/OfferResult.ts"
import { InvalidBlock } from "../../src/logbuffer/TermBlock.ts"
import { AssertionError } from "../../src/memory/Assert.ts"
import * as Contract from "./MessageAppenderContract.ts"
import { makeLog, message, TERM_LENGTH, thrownBy, viewOf } from "./testLog.ts"

Contract.suite("ExclusiveTermAppender", (log) => new ExclusiveTermAppender(log))

const recording = (count: number) => {
  const log = makeLog()
  const appender = new ExclusiveTermAppender(log)
  for (let index = 0; index < count; index++) {
    appender.append(message(index, 40 + index), 0, 40 + index)
  }
  return { log, length: appender.position() }
}

describe("ExclusiveTermAppender", () => {
  it("goes on where the tail of the log stands", () => {
    const log = makeLog({ termCount: 5, termOffset: 96 })
    assert.strictEqual(new ExclusiveTermAppender(log).append(message(1, 8), 0, 8), 5 * TERM_LENGTH + 160)
    assert.strictEqual(new ExclusiveTermAppender(viewOf(log)).position(), 5 * TERM_LENGTH + 160)
  })

  it("goes on behind a term whose tail overshot", () => {
    const appender = new ExclusiveTermAppender(makeLog({ termOffset: TERM_LENGTH + 640 }))
    assert.strictEqual(appender.position(), TERM_LENGTH)
    assert.strictEqual(appender.append(message(1, 8), 0, 8), ADMIN_ACTION)
    assert.strictEqual(appender.append(message(1, 8), 0, 8), TERM_LENGTH + 64)
  })

  it("refuses a log whose tail and count belong to different terms", () => {
    const log = makeLog()
    log.metadata.int32[6] = 2
    assert.instanceOf(
      thrownBy(() => new ExclusiveTermAppender(log)),
      InvalidLog
    )
  })

  it("appends padding that nobody is given", () => {
    const log = makeLog()
    const appender = new ExclusiveTermAppender(log)
    assert.strictEqual(appender.appendPadding(0), 32)
    assert.strictEqual(appender.appendPadding(100), 192)
    appender.append(message(1, 8), 0, 8)
    assert.deepStrictEqual(
      Contract.fragmentsOf(log, 0).map(({ termOffset }) => termOffset),
      [192]
    )
    assert.throws(() => appender.appendPadding(8193), AssertionError, "padding is longer")
    assert.throws(() => appender.appendPadding(-1), AssertionError, "padding is longer")
  })

  it("pads to the end of the term when padding does not fit", () => {
    const log = makeLog({ termOffset: TERM_LENGTH - 64 })
    const appender = new ExclusiveTermAppender(log)
    assert.strictEqual(appender.appendPadding(100), ADMIN_ACTION)
    assert.strictEqual(appender.appendPadding(100), TERM_LENGTH + 160)
  })

  it("appends a recorded block so that the terms are equal", () => {
    const { length, log } = recording(20)
    const copy = makeLog()
    const appender = new ExclusiveTermAppender(copy)
    assert.strictEqual(appender.appendBlock(frameBuffer(log.terms[0].bytes), 0, length), length)
    assert.strictEqual(appender.position(), length)
    assert.deepStrictEqual(copy.terms[0].bytes, log.terms[0].bytes)
  })

  it("appends a block in parts, cut anywhere between frames", () => {
    const { length, log } = recording(20)
    const copy = makeLog()
    const appender = new ExclusiveTermAppender(copy)
    const source = frameBuffer(log.terms[0].bytes)
    appender.appendBlock(source, 0, 96)
    appender.appendBlock(source, 96, length - 96)
    assert.deepStrictEqual(copy.terms[0].bytes, log.terms[0].bytes)
  })

  it("rotates before a block when the term is full", () => {
    const log = makeLog({ termOffset: TERM_LENGTH })
    const appender = new ExclusiveTermAppender(log)
    const donor = makeLog({ termCount: 1 })
    new ExclusiveTermAppender(donor).append(message(1, 8), 0, 8)
    assert.strictEqual(appender.remaining(), TERM_LENGTH)
    assert.strictEqual(appender.appendBlock(frameBuffer(donor.terms[1].bytes), 0, 64), TERM_LENGTH + 64)
  })

  it("has no room for a block behind the last term", () => {
    const appender = new ExclusiveTermAppender(makeLog({ termCount: 2 ** 31 - 1, termOffset: TERM_LENGTH }))
    assert.strictEqual(appender.appendBlock(frameBuffer(new Uint8Array(64)), 0, 64), MAX_POSITION_EXCEEDED)
  })

  it("refuses a block that could not come next, at whichever frame, and writes nothing", () => {
    const { length, log } = recording(4)
    const second = 96
    const damages: ReadonlyArray<readonly [string, number, number]> = [
      ["term offset", second + 8, 64],
      ["session id", second + 12, 1],
      ["stream id", second + 16, 1],
      ["term id", second + 20, 8],
      ["frame type", second + 4, 0x0005c000],
      ["frame type", 4, 0],
      ["frame length", second, 0],
      ["frame length", second, -64],
      ["frame length", second, 31],
      ["frame length", second, 2 ** 30]
    ]
    for (const [field, offset, value] of damages) {
      const source = frameBuffer(log.terms[0].bytes.slice(0, length))
      source.view.setInt32(offset, value, true)
      const copy = makeLog()
      const appender = new ExclusiveTermAppender(copy)
      const error = thrownBy(() => appender.appendBlock(source, 0, length))
      assert.instanceOf(error, InvalidBlock, field)
      assert.strictEqual(error.field, field)
      assert.strictEqual(appender.position(), 0)
      assert.isTrue(copy.terms[0].bytes.every((byte) => byte === 0))
    }
  })

  it("refuses a block that is empty, not aligned, outside its buffer or longer than the rest of the term", () => {
    const { length, log } = recording(4)
    const source = frameBuffer(log.terms[0].bytes.slice(0, length))
    const appender = new ExclusiveTermAppender(makeLog({ termOffset: TERM_LENGTH - 64 }))
    for (const [offset, blockLength] of [
      [0, 0],
      [0, -32],
      [0, 100],
      [0, length + 32],
      [-32, 64],
      [0, 96]
    ] as const) {
      const error = thrownBy(() => appender.appendBlock(source, offset, blockLength))
      assert.instanceOf(error, InvalidBlock)
      assert.strictEqual(error.field, "block length")
    }
  })

  it("claims the whole of a block before it copies any of it", () => {
    const { length, log } = recording(3)
    const copy = makeLog()
    const { bytes, view } = frameBuffer(log.terms[0].bytes.slice(0, length))
    const seen: Array<number> = []
    const source = {
      view,
      get bytes() {
        seen.push(FrameDescriptor.frameLengthAcquire(copy.terms[0], 0))
        return bytes
      }
    }
    new ExclusiveTermAppender(copy).appendBlock(source, 0, length)
    assert.strictEqual(seen.at(-1), -length)
    assert.deepStrictEqual(copy.terms[0].bytes, log.terms[0].bytes)
  })
})
