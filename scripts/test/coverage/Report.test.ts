import assert from "node:assert/strict"
import { describe, it } from "vitest"
import * as Report from "../../coverage/Report.ts"

const coverage = (statements: number, branches: number): Report.Coverage => ({
  statements: { total: 100, covered: statements },
  branches: { total: 100, covered: branches }
})

const KERNEL = "packages/core/src/memory/Int64.ts"

const messages = (files: Report.Files, reasons = {}): ReadonlyArray<string> =>
  Report.check(files, reasons).map(({ message }) => message)

describe("Report", () => {
  it("finds a kernel with too few branches or statements", () => {
    const [ofBranches = ""] = messages({ [KERNEL]: coverage(100, 89) })
    assert.match(ofBranches, /^100\.0 % of its statements and 89\.0 % of its branches are covered, 90 are due/)
    assert.equal(messages({ [KERNEL]: coverage(89, 100) }).length, 1)
    assert.deepEqual(messages({ [KERNEL]: coverage(90, 90) }), [])
  })

  it("takes a file without branches for covered", () => {
    const statements = { total: 4, covered: 4 }
    assert.deepEqual(messages({ [KERNEL]: { statements, branches: { total: 0, covered: 0 } } }), [])
  })

  it("asks glue, native calls, public modules and commands for nothing", () => {
    const none = coverage(0, 0)
    const files = {
      "packages/core/src/native/Libc.ts": none,
      "packages/store/src/internal/storeLayer.ts": none,
      "packages/transport/src/Client.ts": none,
      "packages/cli/src/commands/top.ts": none
    }
    assert.deepEqual(messages(files), [])
  })

  it("accepts a kernel that has what its reason excuses, and no less", () => {
    const reasons = { [KERNEL]: { percent: 75, why: "the other half runs on arm64 only" } }
    assert.deepEqual(messages({ [KERNEL]: coverage(100, 75) }, reasons), [])
    assert.match(messages({ [KERNEL]: coverage(100, 74) }, reasons)[0] ?? "", /its reason excuses 75$/)
  })

  it("finds a reason for a file that has enough, and for one that is not there", () => {
    const reasons = { [KERNEL]: { percent: 75, why: "the other half runs on arm64 only" } }
    assert.match(messages({ [KERNEL]: coverage(100, 90) }, reasons)[0] ?? "", /excuses nothing/)
    assert.match(messages({}, reasons)[0] ?? "", /excuses nothing/)
  })

  it("prints areas by name with the sums of their files, and then the kernels that have too little", () => {
    const files = {
      "packages/store/src/Topic.ts": coverage(100, 100),
      "packages/core/src/memory/Int64.ts": coverage(100, 80),
      "packages/core/src/memory/Bytes.ts": coverage(80, 100)
    }
    const lines = Report.table(files).map((line) => line.split(/\s+/).join(" "))
    assert.deepEqual(lines, [
      "area statem. branches",
      "core/memory 90.0 90.0",
      "store 100.0 100.0",
      "",
      "kernels under 90 %",
      "packages/core/src/memory/Int64.ts 100.0 80.0",
      "packages/core/src/memory/Bytes.ts 80.0 100.0"
    ])
  })

  it("never rounds up to what is due", () => {
    const statements = { total: 10_000, covered: 8_999 }
    assert.match(Report.table({ [KERNEL]: { statements, branches: statements } })[1] ?? "", / 89\.9 +89\.9$/)
  })
})
