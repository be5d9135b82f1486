import { startScript } from "@millrace/testkit/runScript"
import { assert, it } from "vitest"

it("gives the processor away, and loads no library for that", async () => {
  const { code, stderr, stdout } = await startScript(new URL("fixtures/yieldProcessor.ts", import.meta.url), []).ended
  assert.strictEqual(code, 0, stderr)
  assert.deepStrictEqual(JSON.parse(stdout), { before: false, after: true })
})
