import assert from "node:assert/strict"
import { join } from "node:path"
import { describe, it } from "vitest"
import { findBenchFiles, loadGroups, matches, mayMatch } from "../src/BenchFiles.ts"

const root = join(import.meta.dirname, "fixtures/benches")

describe("BenchFiles", () => {
  it("finds the bench files below a package's folder, without their children", () => {
    assert.deepEqual(
      findBenchFiles(root).map((file) => file.name),
      ["core/area/Broken", "core/area/Loop", "core/area/Misnamed"]
    )
  })

  it("compares names at a slash", () => {
    assert.equal(matches("core/logbuffer/TermReader/scan", ["core/logbuffer"]), true)
    assert.equal(matches("core/logbuffer/TermReader/scan", ["core/logbuffer/"]), true)
    assert.equal(matches("core/logbuffer/TermReader/scan", ["core/log"]), false)
    assert.equal(matches("core/logbuffer/TermReader/scan", ["store", "core/logbuffer/TermReader/scan"]), true)
    assert.equal(matches("anything", []), true)
  })

  it("chooses a file for a prefix that reaches into it", () => {
    const file = { path: "", name: "core/logbuffer/TermReader" }
    assert.equal(mayMatch(file, ["core/logbuffer/TermReader/scan"]), true)
    assert.equal(mayMatch(file, ["core"]), true)
    assert.equal(mayMatch(file, ["core/logbuffer/TermScanner"]), false)
  })

  it("loads the groups of a file", async () => {
    const groups = await loadGroups({ path: join(root, "core/area/Loop.ts"), name: "core/area/Loop" })
    assert.deepEqual(
      groups.map((group) => group.name),
      ["core/area/Loop"]
    )
  })

  it("refuses a group that is not named after its file", async () => {
    const file = { path: join(root, "core/area/Misnamed.ts"), name: "core/area/Misnamed" }
    await assert.rejects(loadGroups(file), /core\/other.*must begin with core\/area\/Misnamed/)
  })
})
