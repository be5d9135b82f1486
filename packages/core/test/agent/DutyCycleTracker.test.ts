import { assert, describe, it } from "vitest"
import { CachedClock } from "../../src/agent/CachedClock.ts"
import { DutyCycleTracker } from "../../src/agent/DutyCycleTracker.ts"

describe("DutyCycleTracker", () => {
  it("proposes each cycle's time and counts those beyond the threshold", () => {
    const proposed: Array<number> = []
    let exceeded = 0
    const tracker = new DutyCycleTracker(100, {
      proposeMax: (cycleTimeNs) => void proposed.push(cycleTimeNs),
      thresholdExceeded: () => void exceeded++
    })
    tracker.update(1_000)
    tracker.measureAndUpdate(1_050)
    tracker.measureAndUpdate(1_150)
    tracker.measureAndUpdate(1_251)
    assert.deepStrictEqual(proposed, [50, 100, 101])
    assert.strictEqual(exceeded, 1)
  })
})

describe("CachedClock", () => {
  it("stands still until it is updated", () => {
    const clock = new CachedClock(7, 8)
    assert.deepStrictEqual([clock.nanoTime(), clock.epochMs()], [7, 8])
    clock.update(9, 10)
    assert.deepStrictEqual([clock.nanoTime(), clock.epochMs()], [9, 10])
  })
})
