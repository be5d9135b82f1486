import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { type Bench, group } from "../src/Group.ts"
import { measureGroup } from "../src/Measure.ts"

const everything = { smoke: false, includes: () => true }

/** A bench that says it took `ns` an operation. */
const taking = (ns: number, log: Array<string> = [], name = ""): Bench => ({
  run: (count) => {
    log.push(name)
    return { operations: count, elapsedNs: count * ns }
  },
  close: () => {
    log.push(`close ${name}`)
  }
})

describe("Measure", () => {
  it("takes five runs of each case in turn", async () => {
    const log: Array<string> = []
    const pair = group("core/pair", {
      cases: { a: { count: 1, open: () => taking(1, log, "a") }, b: { count: 1, open: () => taking(1, log, "b") } }
    })
    await measureGroup(pair, everything)
    assert.deepEqual(log.slice(2), ["a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "close a", "close b"])
  })

  it("takes no run before those that count where there is nothing to warm up", async () => {
    const log: Array<string> = []
    const cold = group("core/cold", { cases: { a: { count: 1, warmUp: false, open: () => taking(1, log, "a") } } })
    await measureGroup(cold, everything)
    assert.deepEqual(log, ["a", "a", "a", "a", "a", "close a"])
  })

  it("gives of each figure the median of the runs, the least and the most", async () => {
    let runs = 0
    const open = (): Bench => ({ run: () => ({ operations: 1, elapsedNs: 1, figures: { "p50 ns": ++runs } }) })
    const result = await measureGroup(
      group("core/one", { cases: { a: { count: 1, warmUp: false, open } } }),
      everything
    )
    assert.deepEqual(result.cases[0]!.figures, { "p50 ns": { min: 1, median: 3, max: 5 } })
  })

  it("finds a count whose run takes a quarter of a second", async () => {
    const result = await measureGroup(group("core/one", { cases: { a: { open: () => taking(10) } } }), everything)
    assert.equal(result.cases[0]!.operations, 25_000_000)
    assert.deepEqual(result.cases[0]!.nsPerOperation, { min: 10, median: 10, max: 10 })
  })

  it("gives the ratio of rates to the baseline", async () => {
    const pair = group("core/pair", {
      baseline: "fast",
      cases: { slow: { count: 1, open: () => taking(4) }, fast: { count: 1, open: () => taking(1) } }
    })
    const result = await measureGroup(pair, everything)
    assert.deepEqual(result.cases[0]!.ratio, { min: 0.25, median: 0.25, max: 0.25 })
    assert.equal(result.cases[0]!.baseline, "fast")
    assert.equal(result.cases[1]!.ratio, undefined)
  })

  it("runs the baseline with a case that was chosen alone, and nothing for a group without a chosen case", async () => {
    const three = group("core/three", {
      baseline: "a",
      cases: { a: { open: () => taking(1) }, b: { open: () => taking(1) }, c: { open: () => taking(1) } }
    })
    const names = async (includes: (name: string) => boolean) =>
      (await measureGroup(three, { smoke: true, includes })).cases.map((result) => result.name)
    assert.deepEqual(await names((name) => name === "core/three/c"), ["core/three/a", "core/three/c"])
    assert.deepEqual(await names(() => false), [])
  })

  it("runs a smoke case once with its own count", async () => {
    const log: Array<string> = []
    const one = group("core/one", { cases: { a: { smokeCount: 9, open: () => taking(1, log, "a") } } })
    const result = await measureGroup(one, { smoke: true, includes: () => true })
    assert.equal(result.cases[0]!.operations, 9)
    assert.deepEqual(log, ["a", "close a"])
  })

  it("closes every case when one fails", async () => {
    const log: Array<string> = []
    const failing: Bench = { run: () => Promise.reject(new Error("broken kernel")) }
    const pair = group("core/pair", {
      cases: { a: { count: 1, open: () => taking(1, log, "a") }, b: { count: 1, open: () => failing } }
    })
    await assert.rejects(measureGroup(pair, everything), /broken kernel/)
    assert.equal(log.at(-1), "close a")
  })

  it("refuses a measurement of nothing", async () => {
    const nothing: Bench = { run: () => ({ operations: 0, elapsedNs: 5 }) }
    await assert.rejects(
      measureGroup(group("core/one", { cases: { a: { count: 1, open: () => nothing } } }), everything),
      /0 operations in 5 ns/
    )
  })

  it("refuses a group without cases, and a baseline that is not a case", () => {
    assert.throws(() => group("core/none", { cases: {} }), /core\/none has no cases/)
    assert.throws(() => group("core/one", { baseline: "b", cases: { a: { open: () => taking(1) } } }), /baseline b/)
  })
})
