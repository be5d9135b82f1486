import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "vitest"
import { formatBytes, page } from "../../docs/configuration.ts"

describe("docs/configuration.md", () => {
  it("says what the settings say", () => {
    assert.equal(
      readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8"),
      page(),
      "run `pnpm docs`"
    )
  })

  it("names the largest unit that is exact", () => {
    assert.deepEqual([1024 ** 3, 4 * 1024 ** 2, 1408, 0].map(formatBytes), ["1 GiB", "4 MiB", "1408 bytes", "0 bytes"])
  })
})
