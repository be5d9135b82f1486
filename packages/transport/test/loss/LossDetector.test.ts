/** When a receiver asks for what is missing, and how often. */
import { assert, describe, it } from "@effect/vitest"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import * as FeedbackDelays from "../../src/loss/FeedbackDelays.ts"
import { LossDetector } from "../../src/loss/LossDetector.ts"

const TERM_LENGTH = 64 * 1024
const MS = 1e6
/** Told after a millisecond, and again after two. */
const DELAYS = { delayNs: MS, retryRatio: 2 }

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
const setUp = ({ delayNs, retryRatio }: typeof DELAYS, ...offsets: ReadonlyArray<number>) => {
  const log = newLog()
  const insert = (offset: number): void => void (log.terms[0].int32[offset / 4] = 32)
  offsets.forEach(insert)
  const told: Array<readonly [ms: number, offset: number, length: number]> = []
  let nowNs = 0
  const detector = new LossDetector(log, FeedbackDelays.unicast(delayNs, retryRatio), (_termId, offset, length) =>
    told.push([nowNs / MS, offset, length])
  )
  const scan = (atMs: number, hwm: number, heardMs: number): number => {
    nowNs = Math.round(atMs * MS)
    return detector.scan(0, hwm, heardMs * MS, nowNs)
  }
  return { detector, insert, scan, told }
}

describe("LossDetector", () => {
  it("tells a gap after the delay, and again after each retry delay while its source is heard", () => {
    const { detector, scan, told } = setUp(DELAYS, 0, 96)
    for (let ms = 0; ms < 8; ms++) {
      assert.strictEqual(scan(ms, 128, ms), 32)
      assert.strictEqual(detector.isLossFound, ms === 0)
    }
    assert.deepStrictEqual(
      told,
      [1, 3, 5, 7].map((ms) => [ms, 32, 64])
    )
  })

  it("asks a source that shows no life for a tenth of a second after twice as long each time, up to that", () => {
    const { scan, told } = setUp({ delayNs: MS, retryRatio: 1 }, 0, 96)
    for (let ms = 0; ms <= 1000; ms++) {
      scan(ms, 128, 0)
    }
    const times = told.map(([ms]) => ms)
    assert.deepStrictEqual(
      times.slice(0, 101),
      Array.from({ length: 101 }, (_, index) => index + 1)
    )
    const waits = times.slice(101).map((ms, index) => ms - times[100 + index]!)
    assert.deepStrictEqual(waits, [2, 4, 8, 16, 32, 64, 100, 100, 100, 100, 100, 100, 100])
  })

  it("asks at once a source that was silent and is heard again", () => {
    const { scan, told } = setUp(DELAYS, 0, 96)
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
    const { insert, scan, told } = setUp(DELAYS, 0, 96)
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
    const { scan, told } = setUp(DELAYS, 0, 32, 64, 96)
    assert.strictEqual(scan(0, 128, 0), 128)
    scan(10, 128, 10)
    assert.deepStrictEqual(told, [])
  })
})
