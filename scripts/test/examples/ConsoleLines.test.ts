import assert from "node:assert/strict"
import { dirname, join } from "node:path"
import { describe, it } from "vitest"
import * as ConsoleLines from "../../examples/ConsoleLines.ts"

const ROOT = dirname(dirname(dirname(import.meta.dirname)))
const clone = ConsoleLines.readClone(ROOT)
const tagOf = (text: string) => ConsoleLines.holdOf(text, clone)._tag

describe("commands of a page that need a clone, a registry or settings", () => {
  it("are the lines of its console blocks, without their comments", () => {
    const page = "```console\npnpm test   # all\n\n# the other\npnpm check\n```\n"
    assert.deepEqual(ConsoleLines.find(page), [
      { text: "pnpm test", line: 2 },
      { text: "pnpm check", line: 5 }
    ])
  })

  it("are held by the gate that runs them", () => {
    for (const text of [
      "npx -y pnpm@12 test",
      "pnpm run check",
      "pnpm bench store/java",
      "BENCH_LARGE=1 pnpm bench store/longAppend",
      "AERONMD=~/aeron/aeronmd pnpm interop aeron/c",
      "bash .ci/run",
      "pnpm interop"
    ]) {
      assert.equal(tagOf(text), "Held", text)
    }
    assert.deepEqual(ConsoleLines.holdOf("npm install @millrace/core effect", clone), { _tag: "Held", by: "pack" })
  })

  it("run when no gate does, a long form as a short one", () => {
    assert.deepEqual(ConsoleLines.holdOf("pnpm simulate store --seed 1 --count 1000", clone), {
      _tag: "Runs",
      args: [join(ROOT, "packages/simulator/src/bin.ts"), "store", "--seed", "1", "--count", "2"]
    })
    assert.deepEqual(ConsoleLines.holdOf("npx -y pnpm@12 start", clone), {
      _tag: "Runs",
      args: [join(ROOT, "packages/cli/src/bin.ts"), "demo"]
    })
  })

  it("are wrong when there is no such script, path, part or setting", () => {
    for (const text of [
      "pnpm nothing",
      "pnpm test packages/nothing",
      "pnpm interop nothing",
      "HOME=/ pnpm test",
      "docker run it"
    ]) {
      assert.equal(tagOf(text), "Nothing", text)
    }
    assert.equal(tagOf("sysctl -w net.core.nothing=1"), process.platform === "linux" ? "Nothing" : "Held")
  })
})
