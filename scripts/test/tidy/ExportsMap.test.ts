import assert from "node:assert/strict"
import { describe, it } from "vitest"
import * as ExportsMap from "../../tidy/ExportsMap.ts"

const sources: ExportsMap.Sources = { modules: ["Frame", "Region"], areas: ["frame", "memory"] }

const healthy = (name: string): ExportsMap.Manifest => ({
  name,
  version: "0.0.0",
  exports: ExportsMap.expectedSources(name, sources),
  publishConfig: { exports: ExportsMap.expectedDist(name, sources) }
})

const messages = (manifest: ExportsMap.Manifest) =>
  ExportsMap.compare("packages/x/package.json", manifest, sources).map((finding) => finding.message)

describe("ExportsMap", () => {
  it("opens public modules by name, and areas of core alone", () => {
    assert.deepEqual(ExportsMap.expectedSources("@millrace/store", sources), {
      "./package.json": "./package.json",
      ".": "./src/index.ts",
      "./Frame": "./src/Frame.ts",
      "./Region": "./src/Region.ts"
    })
    assert.deepEqual(ExportsMap.expectedDist("@millrace/core", sources)["./kernel/memory/*"], {
      types: "./dist/memory/*.d.ts",
      default: "./dist/memory/*.js"
    })
    assert.deepEqual(Object.keys(ExportsMap.expectedSources("millrace", sources)), ["./package.json"])
  })

  it("gathers the modules of a package under its own name, save those that are for tests", () => {
    const barrel = ExportsMap.expectedBarrel({ modules: ["Frame", "Region", "testing"], areas: [] })
    assert.deepEqual(barrel.split("\n").slice(1), [
      'export * as Frame from "./Frame.ts"',
      'export * as Region from "./Region.ts"',
      ""
    ])
  })

  it("is content with maps that say what is on disk", () => {
    for (const name of ["@millrace/core", "@millrace/store", "millrace"]) {
      assert.deepEqual(messages(healthy(name)), [])
    }
  })

  it("reports a module on disk that the map leaves out", () => {
    const manifest = healthy("@millrace/store")
    const { "./Region": _, ...exports } = manifest.exports!
    assert.match(messages({ ...manifest, exports })[0]!, /exports has nothing for \.\/Region/)
  })

  it("reports entries that open more than the public modules", () => {
    const manifest = healthy("@millrace/store")
    for (const entry of ["./*", "./internal/x", "./kernel/memory/*", "./Gone"]) {
      const found = messages({ ...manifest, exports: { ...manifest.exports, [entry]: "./src/x.ts" } })
      assert.match(found[0]!, /no public module on disk/)
      assert.equal(found.length, 1)
    }
  })

  it("reports an entry that points to another file", () => {
    const manifest = healthy("@millrace/core")
    const exports = { ...manifest.exports, "./Region": "./src/Frame.ts" }
    assert.match(messages({ ...manifest, exports })[0]!, /"\.\/src\/Frame\.ts" for \.\/Region/)
  })

  it("reports a published map or command that still points to sources", () => {
    const manifest = healthy("@millrace/core")
    assert.notDeepEqual(messages({ ...manifest, publishConfig: { exports: manifest.exports! } }), [])
    const bin = { millrace: "./src/bin.ts" }
    assert.match(messages({ ...healthy("millrace"), bin })[0]!, /publishConfig\.bin has nothing for millrace/)
  })
})
