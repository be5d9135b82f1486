import { assert, describe, it } from "vitest"
import * as TransportSimulation from "../../src/transport/TransportSimulation.ts"

/** The long form is `pnpm simulate transport --seed 1 --count 1000`. */
const SEEDS = 50
const STEPS = 220

describe("drivers and clients on a simulated network", () => {
  it("carry every stream whole through whatever fifty seeds do to them, and leave nothing", () => {
    const seen = new Map<string, number>()
    const threadings = new Set<string>()
    for (let seed = 1; seed <= SEEDS; seed++) {
      const report = TransportSimulation.run({ seed, steps: STEPS })
      threadings.add(report.threading)
      for (const [name, count] of Object.entries(report.seen)) {
        seen.set(name, (seen.get(name) ?? 0) + count)
      }
    }
    // A fault that never happened would prove nothing. A claim that a process leaves open is too rare in lives this short.
    seen.delete("unblocked")
    for (const [name, count] of seen) {
      assert.isAbove(count, 0, `nothing was seen of ${name}`)
    }
    assert.deepStrictEqual([...threadings].toSorted(), ["dedicated", "shared", "sharedNetwork"])
  }, 120_000)

  it("do the same again for the same seed, whatever threads their drivers have", () => {
    const life = (seed: number) => TransportSimulation.run({ seed, steps: STEPS / 2, hosts: 2 })
    const firsts = [7, 8, 9].map(life)
    assert.deepStrictEqual(firsts, [7, 8, 9].map(life))
    assert.strictEqual(new Set(firsts.map(({ hash }) => hash)).size, 3)
  }, 60_000)
})
