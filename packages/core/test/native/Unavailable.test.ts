import { assert, describe, it } from "vitest"
import { startScript } from "@millrace/testkit/runScript"

describe("a platform without these system calls", () => {
  it("loads every module, runs agents, and says clearly what is missing", async () => {
    const ended = await startScript(new URL("fixtures/otherPlatform.ts", import.meta.url), ["win32"]).ended
    assert.strictEqual(ended.code, 0, ended.stderr)
    const report = JSON.parse(ended.stdout) as Record<string, string>
    for (const [feature, call] of [
      ["map", "mmap"],
      ["create", "mmap"],
      ["lock", "fcntl"],
      ["wake", "pipe"],
      ["poll", "poll"]
    ] as const) {
      assert.match(
        report[feature]!,
        new RegExp(`^${call} is not available on win32 \\w+: .*Region\\.layerHeap`),
        feature
      )
    }
    assert.strictEqual(report["heap"], "1024")
    assert.strictEqual(report["fiber"], "closed after 5 cycles")
    assert.strictEqual(report["worker"], "woken and closed")
    assert.match(report["space"]!, /^\d+$/)
    assert.strictEqual(report["files left"], "")
  })
})

describe("macOS", () => {
  it("has its own numbers and field order", async () => {
    const ended = await startScript(new URL("fixtures/otherPlatform.ts", import.meta.url), ["darwin"]).ended
    assert.strictEqual(ended.code, 0, ended.stderr)
    const report = JSON.parse(ended.stdout) as Record<string, string>
    // l_start 1, l_len 2, l_pid 0, l_type F_WRLCK = 3, l_whence SEEK_SET = 0
    assert.strictEqual(report["flock"], "010000000000000002000000000000000000000003000000")
    assert.strictEqual(report["constants"], "MS_SYNC 16, MAP_NORESERVE 64, O_NONBLOCK 4, F_SETLK 8")
  })
})
