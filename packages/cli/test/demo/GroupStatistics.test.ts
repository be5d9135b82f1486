import { assert, describe, it } from "vitest"
import { GroupStatistics, GROUPS_MAX } from "../../src/demo/GroupStatistics.ts"

describe("GroupStatistics", () => {
  it("gives the largest groups with their means, ties in the order of their names", () => {
    const statistics = new GroupStatistics()
    for (const [name, value] of [
      ["b", 1],
      ["a", 3],
      ["c", 5],
      ["c", 7],
      ["b", -4],
      ["a", 5]
    ] as const) {
      statistics.add(name, value)
    }
    statistics.add("c", 9)
    assert.deepStrictEqual(statistics.largest(2), [
      { name: "c", count: 3, mean: 7 },
      { name: "a", count: 2, mean: 4 }
    ])
    assert.strictEqual(statistics.size, 3)
  })

  it("leaves records without a value out of the mean, not out of the count", () => {
    const statistics = new GroupStatistics()
    statistics.add("a", 10)
    statistics.add("a", undefined)
    statistics.add("b", undefined)
    assert.deepStrictEqual(statistics.largest(9), [
      { name: "a", count: 2, mean: 10 },
      { name: "b", count: 1, mean: undefined }
    ])
  })

  it("keeps no more groups than its limit and says how many records that left out", () => {
    const statistics = new GroupStatistics()
    for (let index = 0; index < GROUPS_MAX + 5; index++) {
      statistics.add(`group ${index}`, index)
    }
    statistics.add("group 0", 0)
    assert.strictEqual(statistics.size, GROUPS_MAX)
    assert.strictEqual(statistics.ungrouped, 5)
    assert.strictEqual(statistics.largest(1)[0]?.count, 2)
  })
})
