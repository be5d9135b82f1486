import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { node, pnpm, run, runOrThrow } from "../../pack/Run.ts"

describe("Run", () => {
  it("finds the pnpm that started it, whether script or binary, and falls back to npx", () => {
    assert.deepEqual(pnpm({ npm_execpath: "/lib/pnpm/pnpm" }), { command: "/lib/pnpm/pnpm", args: [] })
    assert.deepEqual(pnpm({ npm_execpath: "/lib/pnpm.cjs" }), { command: process.execPath, args: ["/lib/pnpm.cjs"] })
    assert.deepEqual(pnpm({ npm_execpath: "/lib/npm-cli.js" }).command, "npx")
    assert.deepEqual(pnpm({}).command, "npx")
  })

  it("throws with everything a failed program printed", () => {
    const code = `console.log("out"); console.error("err"); process.exit(4)`
    assert.throws(() => runOrThrow(node, ["-e", code], { cwd: "." }), /code 4\nout\n\nerr/)
  })

  it("kills a program that takes longer than its limit", () => {
    assert.equal(run(node, ["-e", "setInterval(() => {}, 1000)"], { cwd: ".", limitMs: 200 }).signal, "SIGKILL")
  })
})
