import assert from "node:assert/strict"
import { dirname, join } from "node:path"
import { describe, it } from "vitest"
import * as Installs from "../../pack/Installs.ts"

const tarballs = [
  { path: "/core.tgz", files: [], manifest: { name: "@millrace/core", version: "0.1.0" } },
  {
    path: "/store.tgz",
    files: [],
    manifest: { name: "@millrace/store", version: "0.1.0", dependencies: { "@millrace/core": "0.1.0", koffi: "3" } }
  },
  {
    path: "/cli.tgz",
    files: [],
    manifest: { name: "millrace", version: "0.1.0", dependencies: { "@millrace/store": "0.1.0" } }
  }
]

describe("installations of pages", () => {
  it("take our packages from their tarballs, with ours that these depend on", () => {
    assert.deepEqual(Installs.packagesOf(["@millrace/store", "effect"], tarballs), [
      "/store.tgz",
      "/core.tgz",
      "effect"
    ])
    assert.deepEqual(Installs.packagesOf(["millrace"], tarballs), ["/cli.tgz", "/store.tgz", "/core.tgz"])
  })

  it("are those of the pages of this repository, in their order", () => {
    const root = dirname(dirname(dirname(import.meta.dirname)))
    const start = Installs.find(root).find(({ path }) => path === join("docs", "start.md"))
    assert.equal(start!.lines[0], "npx millrace demo")
    assert.equal(start!.lines.at(-1), "node first-line.ts")
  })
})
