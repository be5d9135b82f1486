import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { SyncTimes } from "../../src/internal/syncTimes.ts"

const MS = 1_000_000

const Times = Schema.NonEmptyArray(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 5000 * MS }))))
const Part = Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 })))

const of = (times: ReadonlyArray<number>): SyncTimes => {
  const syncTimes = new SyncTimes()
  for (const time of times) {
    syncTimes.add(time)
  }
  return syncTimes
}

describe("SyncTimes", () => {
  it("knows nothing before the first sync, and nothing when it is cleared", () => {
    const times = of([3 * MS])
    times.clear()
    for (const none of [times, new SyncTimes()]) {
      assert.deepStrictEqual([none.count, none.maxNs, none.quantileNs(0.5)], [0, 0, 0])
    }
  })

  it("has the one sync that there was as every quantile", () => {
    for (const ns of [0, 400, 1000, 7999, 8000, 123_456_789, 40 * 60 * 1000 * MS]) {
      const times = of([ns])
      assert.deepStrictEqual([times.quantileNs(0), times.quantileNs(1), times.maxNs], [ns, ns, ns])
    }
  })

  it.prop(
    "gives quantiles that are never too short, and too long by a hundredth and a nanosecond at most",
    { all: Times, part: Part },
    ({ all, part }) => {
      const sorted = all.toSorted((a, b) => a - b)
      const exact = sorted[Math.max(1, Math.ceil(part * all.length)) - 1]!
      const told = of(all).quantileNs(part)
      assert.isAtLeast(told, exact)
      assert.isAtMost(told, exact * 1.01 + 1)
    }
  )
})
