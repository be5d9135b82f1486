/** When a receiver asks for what is missing, and how often. */
import { assert, describe, it } from "@effect/vitest"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import * as FeedbackDelays from "../../src/loss/FeedbackDelays.ts"
import { LossDetector } from "../../src/loss/LossDetector.ts"

const TERM_LENGTH = 64 * 1024
const MS = 1e6
const DELAY_NS = MS
/** A hundred times the delay would be longer than the longest. */
const RETRY_RATIO = 2

const newLog = (): LogBuffers =>
  LogBuffers.create(new HeapRegion("log", LogBufferDescriptor.computeLogLength(TERM_LENGTH, 4096)), {
    correlationId: 1n,
    initialTermId: 7,
    mtuLength: 1408,
    termLength: TERM_LENGTH,
    pageSize: 4096,
    sessionId: 1,
    streamId: 2,
    type: LogBufferDescriptor.LogType.PublicationImage
  })

/** A frame of one header at each of these offsets of the first term; all else is missing. */
const setUp = (...offsets: ReadonlyArray<number>) => {
  const log = newLog()
  const insert = (offset: number): void => void (log.terms[0].int32[offset / 4] = 32)
  offsets.forEach(insert)
  const told: Array<readonly [ms: number, offset: number, length: number]> = []
  let nowNs = 0
  const detector = new LossDetector(log, FeedbackDelays.unicast(DELAY_NS, RETRY_RATIO), (_termId, offset, length) =>
    told.push([nowNs / MS, offset, length])
  )
  const scan = (atMs: number, hwm: number, heardMs: number): number => {
    nowNs = atMs * MS
    return detector.scan(0, hwm, heardMs * MS, nowNs)
  }
  return { detector, insert, scan, told }
}

describe("LossDetector", () => {
  it("tells a gap after the delay, and again after each retry delay while its source is heard", () => {
    const { detector, scan, told } = setUp(0, 96)
    for (let ms = 0; ms < 8; ms++) {
      assert.strictEqual(scan(ms, 128, ms), 32)
      assert.strictEqual(detector.isLossFound, ms === 0)
    }
    assert.deepStrictEqual(
      told,
      [1, 3, 5, 7].map((ms) => [ms, 32, 64])
    )
  })

  it("asks a silent source after twice as long each time, a tenth of a second at most", () => {
    const { scan, told } = setUp(0, 96)
    for (let ms = 0; ms <= 1000; ms++) {
      scan(ms, 128, 0)
    }
    const times = told.map(([ms]) => ms)
    assert.deepStrictEqual(times.slice(0, 7), [1, 3, 7, 15, 31, 63, 127])
    assert.isAtMost(times.length, 17)
    const waits = times.slice(7).map((ms, index) => ms - times[index + 6]!)
    assert.deepStrictEqual(new Set(waits), new Set([100]))
  })

  it("asks at once a source that was silent and is heard again", () => {
    const { scan, told } = setUp(0, 96)
    for (let ms = 0; ms <= 300; ms++) {
      scan(ms, 128, 0)
    }
    const count = told.length
    const lastMs = told.at(-1)![0]
    scan(lastMs + 10, 128, lastMs + 10)
    scan(lastMs + 12, 128, lastMs + 10)
    assert.deepStrictEqual(
      told.slice(count).map(([ms]) => ms),
      [lastMs + 10, lastMs + 12]
    )
  })

  it("tells another gap by its own delay, however long the last one was there", () => {
    const { insert, scan, told } = setUp(0, 96)
    for (let ms = 0; ms <= 200; ms++) {
      scan(ms, 128, 0)
    }
    told.length = 0
    insert(32)
    assert.strictEqual(scan(201, 128, 201), 64)
    scan(202, 128, 201)
    scan(204, 128, 201)
    assert.deepStrictEqual(told, [
      [202, 64, 32],
      [204, 64, 32]
    ])
  })

  it("tells nothing of a stream that is whole", () => {
    const { scan, told } = setUp(0, 32, 64, 96)
    assert.strictEqual(scan(0, 128, 0), 128)
    scan(10, 128, 10)
    assert.deepStrictEqual(told, [])
  })
})
