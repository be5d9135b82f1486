import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { countOr } from "../Peers.ts"

// A rotation allocates its tail once a term of 64 KiB, and the engine a little for itself; an object a message is 12 bytes
// and more.
const NOISE = 4

// The old value of the tail, and now and then another increment.
const ONE_TAIL_ADDITION = 40

describe("allocation of the log buffer kernels", () => {
  it("is nothing a message, but for the BigInts of the concurrent tail", { timeout: 120_000 }, () => {
    const script = fileURLToPath(new URL("./allocation.peer.ts", import.meta.url))
    const flags = ["--min-semi-space-size=64", "--max-semi-space-size=64"]
    const output = execFileSync(process.execPath, [...flags, script, String(Math.min(countOr(1_000_000), 10_000_000))])
    const { concurrent, ...others } = JSON.parse(output.toString()) as Readonly<Record<string, number>>
    assert.isAtMost(concurrent!, ONE_TAIL_ADDITION)
    for (const [kernel, bytes] of Object.entries(others)) {
      assert.isBelow(bytes, NOISE, kernel)
    }
    assert.strictEqual(Object.keys(others).length, 8)
  })
})
