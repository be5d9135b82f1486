import { assert, describe, it } from "vitest"
import { SimulatedClock, SimulatedTime } from "../../src/simulation/SimulatedClock.ts"

describe("SimulatedClock", () => {
  it("tells the time that has passed for all hosts alike", () => {
    const time = new SimulatedTime()
    const [one, other] = [new SimulatedClock(time), new SimulatedClock(time)]
    const before = one.nanoTime()
    time.advance(2_500_000)
    assert.strictEqual(one.nanoTime() - before, 2_500_000)
    assert.strictEqual(other.nanoTime(), one.nanoTime())
  })

  it("sets the wall clock of one host, forward and back, and leaves what has passed alone", () => {
    const time = new SimulatedTime()
    const [one, other] = [new SimulatedClock(time), new SimulatedClock(time)]
    const [nanoTime, epochMs] = [one.nanoTime(), one.epochMs()]
    time.advance(2_999_999)
    one.jump(60_000)
    assert.strictEqual(one.epochMs(), epochMs + 60_002)
    assert.strictEqual(other.epochMs(), epochMs + 2)
    one.jump(-90_000)
    assert.strictEqual(one.epochMs(), epochMs - 29_998)
    assert.strictEqual(one.nanoTime(), nanoTime + 2_999_999)
  })
})
