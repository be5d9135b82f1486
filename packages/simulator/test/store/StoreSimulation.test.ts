import { assert, describe, it } from "vitest"
import * as StoreSimulation from "../../src/store/StoreSimulation.ts"

/** The long form is `pnpm simulate store --seed 1 --count 1000`. */
const SEEDS = 50
const STEPS = 60

describe("a store on a simulated disk", () => {
  it("keeps what it promised through whatever fifty seeds do to it", () => {
    const sums = { faults: 0, flips: 0, refused: 0, crashes: 0, unread: 0 }
    for (let seed = 1; seed <= SEEDS; seed++) {
      const report = StoreSimulation.run({ seed, steps: STEPS })
      sums.faults += report.faults
      sums.flips += report.flips
      sums.refused += report.refused
      sums.crashes += report.crashes
      sums.unread += report.unread
    }
    for (const [name, count] of Object.entries(sums)) {
      assert.isAbove(count, 0, `nothing was seen of ${name}`)
    }
  }, 120_000)

  it("does the same again for the same seed", () => {
    const [first, second] = [11, 11].map((seed) => StoreSimulation.run({ seed, steps: STEPS }))
    assert.deepStrictEqual(first, second)
    assert.notStrictEqual(StoreSimulation.run({ seed: 12, steps: STEPS }).hash, first!.hash)
  })
})
