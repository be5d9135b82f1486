import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, it } from "vitest"

const ROOT = join(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "millrace-count-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir")
writeFileSync(
  join(folder, "vitest.config.ts"),
  `export default { test: { reporters: ["default", ${JSON.stringify(join(ROOT, "scripts/CountReporter.ts"))}] } }`
)

const runTests = (name: string, code: string) => {
  writeFileSync(join(folder, `${name}.test.ts`), `import { beforeAll, describe, it } from "vitest"\n${code}`)
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs")
  const done = spawnSync(process.execPath, [vitest, "run", name], { cwd: folder, encoding: "utf8" })
  const lines = done.stdout.trimEnd().split("\n")
  return { status: done.status, lines, last: lines.at(-1) }
}

describe("CountReporter", () => {
  it("ends a run with the numbers of tests that passed and failed", () => {
    const code = `it("a", () => {})\nit("b", () => {})\nit("c", () => { throw new Error("c") })`
    const { last, status } = runTests("mixed", code)
    assert.deepEqual({ last, status }, { status: 1, last: "2 passed, 1 failed" })
  })

  it("says what failed and why right before the count, so that the end of a long output tells it", () => {
    const { lines } = runTests(
      "why",
      `describe("a list", () => { it("is short", () => { throw new Error("it is long") }) })`
    )
    const failure = lines.lastIndexOf("FAIL  why.test.ts > a list > is short")
    assert.ok(failure > 0)
    assert.equal(lines[failure + 1], "        Error: it is long")
    assert.ok(lines.length - failure < 14)
  })

  it("says nothing of skipped tests when there are none, and counts them otherwise", () => {
    const good = runTests("good", `it("a", () => {})`)
    assert.deepEqual([good.status, good.last], [0, "1 passed, 0 failed"])
    const skip = runTests("skip", `it.skip("a", () => {})\nit("b", () => {})`)
    assert.deepEqual([skip.status, skip.last], [0, "1 passed, 0 failed, 1 skipped"])
  })

  it("counts a file that cannot be loaded, a failing hook and an error outside of tests as failures", () => {
    assert.equal(runTests("load", `import "./nothing.ts"\nit("a", () => {})`).last, "0 passed, 1 failed")
    const hook = `describe("d", () => { beforeAll(() => { throw new Error("h") }); it("a", () => {}) })`
    assert.equal(runTests("hook", hook).last, "0 passed, 1 failed, 1 skipped")
    const outside = `it("a", () => { setTimeout(() => { throw new Error("o") }); return new Promise((r) => setTimeout(r, 50)) })`
    assert.equal(runTests("outside", outside).last, "1 passed, 1 failed")
  })
})
