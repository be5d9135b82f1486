import assert from "node:assert/strict"
import { dirname } from "node:path"
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
    assert.deepEqual(Installs.packagesOf("npm install @millrace/store effect", tarballs), [
      "/store.tgz",
      "/core.tgz",
      "effect"
    ])
    assert.deepEqual(Installs.packagesOf("npm install --save-dev @millrace/core", tarballs), ["/core.tgz"])
  })

  it("of a command are its package", () => {
    assert.deepEqual(Installs.packagesOf("npx millrace demo --json", tarballs), ["/cli.tgz", "/store.tgz", "/core.tgz"])
  })

  it("are those of the pages of this repository", () => {
    const root = dirname(dirname(dirname(import.meta.dirname)))
    assert.ok(Installs.find(root).includes("npx millrace demo"))
  })
})
