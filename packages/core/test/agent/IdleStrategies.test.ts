import { assert, describe, it } from "vitest"
import { BackoffIdleStrategy } from "../../src/agent/BackoffIdleStrategy.ts"
import { BusySpinIdleStrategy } from "../../src/agent/BusySpinIdleStrategy.ts"
import { type IdleStrategy, SPIN, TURN, WAIT_NS_MAX, YIELD } from "../../src/agent/IdleStrategy.ts"
import { ParkIdleStrategy } from "../../src/agent/ParkIdleStrategy.ts"
import { SleepingIdleStrategy } from "../../src/agent/SleepingIdleStrategy.ts"
import { YieldingIdleStrategy } from "../../src/agent/YieldingIdleStrategy.ts"

const MS = 1_000_000
const SECOND = 1_000 * MS

const idleTimes = (strategy: IdleStrategy, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, () => strategy.idle(0))

describe("BusySpinIdleStrategy", () => {
  it("spins whatever was done", () => {
    const strategy = new BusySpinIdleStrategy()
    assert.deepStrictEqual([strategy.idle(0), strategy.idle(1)], [SPIN, SPIN])
  })
})

describe("YieldingIdleStrategy", () => {
  it("yields after a cycle without work only", () => {
    const strategy = new YieldingIdleStrategy()
    assert.deepStrictEqual([strategy.idle(0), strategy.idle(1), strategy.idle(0)], [YIELD, SPIN, YIELD])
  })
})

describe("SleepingIdleStrategy", () => {
  it("waits its time after a cycle without work only", () => {
    const strategy = new SleepingIdleStrategy(MS)
    assert.deepStrictEqual([strategy.idle(0), strategy.idle(3), strategy.idle(0)], [MS, SPIN, MS])
  })

  it("refuses to wait for nothing or longer than 100 ms", () => {
    assert.throws(() => new SleepingIdleStrategy(0), /at most 100 ms/)
    assert.throws(() => new SleepingIdleStrategy(WAIT_NS_MAX + 1), /at most 100 ms/)
  })
})

describe("BackoffIdleStrategy", () => {
  it("spins 10 times, yields 20 times, then doubles its waits from 1 µs to 1 ms", () => {
    const times = idleTimes(new BackoffIdleStrategy(), 45)
    assert.deepStrictEqual(times.slice(0, 10), Array(10).fill(SPIN))
    assert.deepStrictEqual(times.slice(10, 30), Array(20).fill(TURN))
    assert.deepStrictEqual(times.slice(30, 34), [1_000, 2_000, 4_000, 8_000])
    assert.deepStrictEqual(times.slice(39, 45), [512_000, MS, MS, MS, MS, MS])
  })

  it("begins again with the first work", () => {
    const strategy = new BackoffIdleStrategy()
    const first = idleTimes(strategy, 45)
    assert.strictEqual(strategy.idle(1), SPIN)
    assert.deepStrictEqual(idleTimes(strategy, 45), first)
  })

  it("takes other limits", () => {
    const strategy = new BackoffIdleStrategy({ maxSpins: 0, maxYields: 1, minParkNs: 3_000, maxParkNs: 5_000 })
    assert.deepStrictEqual(idleTimes(strategy, 4), [TURN, 3_000, 5_000, 5_000])
  })

  it("refuses limits that contradict each other", () => {
    assert.throws(() => new BackoffIdleStrategy({ minParkNs: 2 * MS }))
    assert.throws(() => new BackoffIdleStrategy({ minParkNs: 0 }))
    assert.throws(() => new BackoffIdleStrategy({ maxParkNs: WAIT_NS_MAX + 1 }))
    assert.throws(() => new BackoffIdleStrategy({ maxSpins: -1 }))
  })
})

describe("ParkIdleStrategy", () => {
  /** The waits until so much time has passed without work. */
  const waitsWithin = (strategy: ParkIdleStrategy, durationNs: number): ReadonlyArray<number> => {
    const waits: Array<number> = []
    for (let totalNs = 0; totalNs < durationNs;) {
      const waitNs = strategy.idle(0)
      if (waitNs > 0) {
        waits.push(waitNs)
        totalNs += waitNs
      }
    }
    return waits
  }

  it("begins like the backoff, up to its shortest park", () => {
    assert.deepStrictEqual(idleTimes(new ParkIdleStrategy(), 40), idleTimes(new BackoffIdleStrategy(), 40))
  })

  it("parks 1 ms at most during the first 32 ms without work", () => {
    waitsWithin(new ParkIdleStrategy(), 31 * MS).forEach((waitNs) => assert(waitNs <= MS))
  })

  it("parks 50 ms after two seconds without work, and never longer", () => {
    const strategy = new ParkIdleStrategy()
    const waits = waitsWithin(strategy, 2 * SECOND)
    assert.strictEqual(Math.max(...waits), 50 * MS)
    assert.deepStrictEqual(idleTimes(strategy, 100), Array(100).fill(50 * MS))
  })

  it("never parks longer than a thirty-second of the time without work once that exceeds its shortest park", () => {
    let idleNs = 0
    for (const waitNs of waitsWithin(new ParkIdleStrategy(), 3 * SECOND)) {
      assert(waitNs <= Math.max(MS, idleNs / 32))
      idleNs += waitNs
    }
  })

  it("is back at spinning with the first work, and at parks of 1 ms at most", () => {
    const strategy = new ParkIdleStrategy()
    waitsWithin(strategy, 5 * SECOND)
    assert.strictEqual(strategy.idle(1), SPIN)
    waitsWithin(strategy, 31 * MS).forEach((waitNs) => assert(waitNs <= MS))
  })

  it("takes other limits, up to 100 ms", () => {
    const strategy = new ParkIdleStrategy({ minParkNs: 2 * MS, maxParkNs: WAIT_NS_MAX })
    assert.strictEqual(Math.max(...waitsWithin(strategy, 10 * SECOND)), WAIT_NS_MAX)
    assert.throws(() => new ParkIdleStrategy({ maxParkNs: WAIT_NS_MAX + 1 }))
    assert.throws(() => new ParkIdleStrategy({ minParkNs: 3 * MS, maxParkNs: 2 * MS }))
    assert.throws(() => new ParkIdleStrategy({ minParkNs: 999 }))
  })
})
