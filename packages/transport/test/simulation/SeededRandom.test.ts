import { assert, describe, it } from "vitest"
import { SeededRandom } from "../../src/simulation/SeededRandom.ts"

const numbersOf = (random: SeededRandom, count: number) => Array.from({ length: count }, () => random.int32())

describe("SeededRandom", () => {
  it("gives the same numbers for the same seed, and others for another", () => {
    const numbers = numbersOf(new SeededRandom(42), 20)
    assert.deepStrictEqual(numbersOf(new SeededRandom(42), 20), numbers)
    assert.notDeepEqual(numbersOf(new SeededRandom(43), 20), numbers)
    assert.isTrue(numbers.every((number) => number === (number | 0)))
  })

  it("takes both ends of a range and nothing outside of it", () => {
    const random = new SeededRandom(1)
    const seen = new Set(Array.from({ length: 200 }, () => random.between(-1, 2)))
    assert.sameMembers([...seen], [-1, 0, 1, 2])
  })

  it("picks each member of a list", () => {
    const random = new SeededRandom(1)
    const seen = new Set(Array.from({ length: 100 }, () => random.pick(["a", "b", "c"])))
    assert.deepStrictEqual([...seen].toSorted(), ["a", "b", "c"])
  })

  it("lets happen what is certain and never what has no chance", () => {
    const random = new SeededRandom(1)
    const tries = Array.from({ length: 100 }, () => [random.chance(0), random.chance(1)])
    assert.isTrue(tries.every(([never, always]) => !never && always))
  })

  it("forks a source whose numbers do not depend on what is taken from it afterwards", () => {
    const [one, other] = [new SeededRandom(7), new SeededRandom(7)]
    const [fork, same] = [one.fork(), other.fork()]
    numbersOf(one, 5)
    assert.deepStrictEqual(numbersOf(fork, 5), numbersOf(same, 5))
  })
})
