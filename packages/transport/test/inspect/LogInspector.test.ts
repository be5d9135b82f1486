import { assert, describe, it } from "@effect/vitest"
import * as FrameDescriptor from "@millrace/core/kernel/logbuffer/FrameDescriptor"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { initialTails } from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import { ADMIN_ACTION } from "@millrace/core/kernel/logbuffer/OfferResult"
import { TermAppender } from "@millrace/core/kernel/logbuffer/TermAppender"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import * as LogInspector from "../../src/inspect/LogInspector.ts"

const TERM_LENGTH = LogBufferDescriptor.TERM_LENGTH_MIN
const INITIAL_TERM_ID = 7

const makeLog = (): LogBuffers =>
  LogBuffers.create(new HeapRegion("log", LogBufferDescriptor.computeLogLength(TERM_LENGTH, 4096)), {
    correlationId: 1n,
    initialTermId: INITIAL_TERM_ID,
    mtuLength: 1408,
    termLength: TERM_LENGTH,
    pageSize: 4096,
    sessionId: -77,
    streamId: 1001,
    type: LogBufferDescriptor.LogType.ConcurrentPublication,
    tails: initialTails(INITIAL_TERM_ID, INITIAL_TERM_ID, 0),
    activeTermCount: 0
  })

const append = (log: LogBuffers, message: Uint8Array): void => {
  const appender = new TermAppender(log)
  while (appender.append(message, 0, message.length) === ADMIN_ACTION) {
    // The term was rotated.
  }
}

const framesOf = (log: LogBuffers, payloadLengthMax = 1408): ReadonlyArray<LogInspector.LogFrame> => [
  ...LogInspector.frames(log, { payloadLengthMax })
]

describe("LogInspector", () => {
  it("gives each frame with its place, its flags and its payload", () => {
    const log = makeLog()
    append(log, Uint8Array.of(1, 2, 3))
    append(log, new Uint8Array(2000))
    const [first, second, third, ...rest] = framesOf(log)
    assert.deepInclude(first, { type: "DATA", position: 0, termId: 7, frameLength: 35, flags: 0xc0, isPublished: true })
    assert.deepStrictEqual(first!.payload, Uint8Array.of(1, 2, 3))
    assert.deepInclude(second, { position: 64, frameLength: 1408, flags: 0x80, sessionId: -77, streamId: 1001 })
    assert.deepInclude(third, { flags: 0x40 })
    assert.lengthOf(rest, 0)
  })

  it("copies no more of a payload than was asked for", () => {
    const log = makeLog()
    append(log, new Uint8Array(1000))
    assert.lengthOf(framesOf(log, 16)[0]!.payload, 16)
  })

  it("shows terms in the order of the stream, the padding at the end of one among their frames", () => {
    const log = makeLog()
    const message = new Uint8Array(1376)
    for (let count = 0; count < 200; count++) {
      append(log, message)
    }
    const frames = framesOf(log, 0)
    const positions = frames.map(({ position }) => position)
    assert.deepStrictEqual(
      positions,
      positions.toSorted((left, right) => left - right)
    )
    assert.isAbove(frames.filter(({ type }) => type === "PAD").length, 1)
    // A log holds three terms: the first ones of this stream were written over.
    assert.isAbove(frames[0]!.termId, INITIAL_TERM_ID)
    const last = frames.at(-1)!
    assert.strictEqual(last.position + FrameDescriptor.alignFrame(last.frameLength), new TermAppender(log).position())
  })

  it("goes on behind what was cleaned", () => {
    const log = makeLog()
    for (let count = 0; count < 10; count++) {
      append(log, new Uint8Array(32).fill(count))
    }
    // Up to the middle of a frame.
    log.terms[0].bytes.fill(0, 0, 160)
    assert.deepStrictEqual(
      framesOf(log).map(({ payload }) => payload[0]),
      [3, 4, 5, 6, 7, 8, 9]
    )
  })

  it("shows a frame whose writer has not finished it", () => {
    const log = makeLog()
    append(log, new Uint8Array(32))
    log.terms[0].int32[0] = -64
    assert.deepInclude(framesOf(log)[0], { isPublished: false, frameLength: 64 })
  })

  it("takes nothing for a frame that is not in its place", () => {
    const log = makeLog()
    append(log, new Uint8Array(32))
    log.terms[0].bytes.copyWithin(4096, 0, 64)
    assert.lengthOf(framesOf(log), 1)
    log.terms[0].int32[0] = 2 * TERM_LENGTH
    assert.lengthOf(framesOf(log), 0)
  })
})
