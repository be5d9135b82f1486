/** How the window of a receiver with the congestion control cubic follows losses and time. */
import { assert, describe, it } from "@effect/vitest"
import { Cubic, type CubicOptions } from "../../src/congestion/Cubic.ts"

const MTU = 1000
const MS = 1e6

const make = (options: Partial<CubicOptions> = {}) =>
  new Cubic({
    mtuLength: MTU,
    maxWindowLength: 100 * MTU,
    isMeasuringRtt: true,
    initialRttNs: 100_000,
    isTcpMode: false,
    nowNs: 0,
    onWindow: () => {},
    onRtt: () => {},
    ...options
  })

/** The window in datagrams after `ms` milliseconds without loss, from the loss at 0. */
const grown = (cubic: Cubic, ms: number): number => {
  cubic.onTrackRebuild(0, 0, 0, true)
  for (let passed = 1; passed <= ms; passed++) {
    cubic.onTrackRebuild(passed * MS, 0, 0, false)
  }
  return cubic.windowLength / MTU
}

describe("cubic", () => {
  it("begins with ten datagrams, or the whole window where that is less", () => {
    assert.strictEqual(make().initialWindowLength, 10 * MTU)
    assert.strictEqual(make({ maxWindowLength: 3500 }).initialWindowLength, 3 * MTU)
  })

  it("loses a fifth of its window at a loss, tells it at once, and never falls below one datagram", () => {
    const cubic = make()
    cubic.onTrackRebuild(0, 0, 0, true)
    assert.strictEqual(cubic.windowLength, 8 * MTU)
    assert.isTrue(cubic.isStatusMessageForced)
    for (let loss = 1; loss < 20; loss++) {
      cubic.onTrackRebuild(loss, 0, 0, true)
    }
    assert.strictEqual(cubic.windowLength, MTU)
  })

  it("is back where the loss was after the time of the curve, flat around it, and grows beyond", () => {
    // K = cube root of (10 × 0.2 / 0.4), 1.71 seconds.
    assert.strictEqual(grown(make(), 1710), 10)
    assert.strictEqual(grown(make(), 3000), 10)
    assert.strictEqual(grown(make(), 6000), 41)
    assert.strictEqual(grown(make(), 60_000), 100, "not above the receiver's window")
  })

  it("grows no more often than the first round trip says", () => {
    const cubic = make({ initialRttNs: 10_000 * MS })
    assert.strictEqual(grown(cubic, 9000), 8)
    assert.strictEqual(grown(cubic, 10_002), 100)
  })

  it("in TCP mode is at least what TCP would have", () => {
    assert.isAbove(grown(make({ isTcpMode: true }), 100), grown(make(), 100))
    const slow = make({ isTcpMode: true })
    slow.onRttMeasurement(0, 1000 * MS)
    assert.strictEqual(grown(slow, 100), grown(make(), 100), "with a long round trip that is less")
  })

  it("asks for a round trip when the last is four of them ago", () => {
    const cubic = make()
    assert.isTrue(cubic.shouldMeasureRtt(400_001))
    cubic.onRttMeasurementSent(1e9)
    assert.isFalse(cubic.shouldMeasureRtt(1e9 + 400_000))
    cubic.onRttMeasurement(1e9, 5 * MS)
    assert.isFalse(cubic.shouldMeasureRtt(1e9 + 20 * MS))
    assert.isTrue(cubic.shouldMeasureRtt(1e9 + 20 * MS + 1))
    assert.isFalse(make({ isMeasuringRtt: false }).shouldMeasureRtt(1e12))
  })

  it("tells each datagram that is consumed when the window is one", () => {
    const cubic = make({ maxWindowLength: MTU })
    cubic.onTrackRebuild(1, 2000, 1000, false)
    assert.isTrue(cubic.isStatusMessageForced)
    cubic.onTrackRebuild(2, 1000, 1000, false)
    assert.isFalse(cubic.isStatusMessageForced)
  })
})
