import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { describe, it } from "vitest"

const bench = (...args: ReadonlyArray<string>) => {
  const bin = join(import.meta.dirname, "../src/bin.ts")
  const root = join(import.meta.dirname, "fixtures/benches")
  return spawnSync(process.execPath, [bin, "--root", root, ...args], { encoding: "utf8" })
}

describe("bench", () => {
  it("prints one JSON object", () => {
    const { status, stdout } = bench("--json", "--smoke", "core/area/Loop")
    const report = JSON.parse(stdout)
    assert.equal(status, 0)
    assert.equal(report.groups[0].cases[1].name, "core/area/Loop/forked")
    assert.equal(report.groups[0].cases[1].operations, 7)
    assert.equal(report.groups[0].cases[1].ratio.median, 0.5)
    assert.deepEqual(report.groups[0].cases[1].figures["p50 ns"], { min: 19, median: 19, max: 19 })
  })

  it("prints the spread of each case and its ratio", () => {
    const { stdout } = bench("--smoke", "core/area/Loop")
    assert.match(stdout, /empty +10 +10 +10 +100 M/)
    assert.match(stdout, /forked +20 +20 +20 +50\.0 M +0\.5 of empty \[0\.5, 0\.5\] +p50 ns 19/)
  })

  it("fails when a second process dies, and still runs the other files", () => {
    const { status, stderr, stdout } = bench("--smoke")
    assert.equal(status, 1)
    assert.match(stderr, /core\/area\/Broken failed: .*ended with code 3/)
    assert.match(stdout, /core\/area\/Loop/)
    assert.match(stdout, /benchmark groups: 1, files that failed: 2/)
  })

  it("fails when no benchmark has the name", () => {
    const { status, stderr } = bench("--smoke", "core/nothing")
    assert.equal(status, 2)
    assert.match(stderr, /no benchmark is named core\/nothing/)
  })
})
