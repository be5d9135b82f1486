import assert from "node:assert/strict"
import { describe, it } from "vitest"
import type { Finding } from "../../tidy/Finding.ts"
import * as Text from "../../tidy/Text.ts"
import { fromRecord, type Tree } from "../../tidy/Tree.ts"

const check = (rule: (tree: Tree) => ReadonlyArray<Finding>, files: Readonly<Record<string, string>>) =>
  rule(fromRecord(files)).map(({ line, message, path }) => `${path}:${line ?? ""} ${message}`)

describe("Text", () => {
  it("reports markers of work left undone, in sources and documents", () => {
    const found = check(Text.markers, {
      "packages/core/src/A.ts": "const a = 1\n// TODO: b\n",
      "docs/a.md": "FIXME",
      "packages/core/src/B.ts": "const TODOS = 1 // a todo list, hackathon"
    })
    assert.equal(found.length, 2)
    assert.match(found[0]!, /A\.ts:2 TODO is left in the tree/)
    assert.match(found[1]!, /a\.md:1 FIXME/)
  })

  it("reports paths of one machine", () => {
    const lines = ["/root/x", "(/workspace/x)", "C:\\Users\\ann", "cd /work/x"]
    for (const line of lines) {
      assert.equal(check(Text.machineTraces, { "a.md": line }).length, 1, line)
    }
  })

  it("reports the home of the machine that looks", () => {
    const rule = (tree: Tree) => Text.machineTraces(tree, ["/home/ann"])
    assert.deepEqual(check(rule, { "a.md": "\n/home/ann/x", "b.md": "/home/bob/x" }), [
      "a.md:2 /home/ann is a path of this machine"
    ])
  })

  it("allows paths that every machine has, and words that look like one", () => {
    const lines = [
      "/dev/shm/aeron",
      "/tmp/store",
      "./root/x",
      "/home/a/x",
      "at work/x",
      "~/work/x",
      "https://a.org/home/ann/x"
    ]
    for (const line of lines) {
      assert.deepEqual(check(Text.machineTraces, { "a.md": line }), [], line)
    }
  })

  it("reports registries, in settings and as hosts", () => {
    const lines = [
      "registry=https://example.org",
      `"registry": "https://example.org"`,
      "@scope:registry=https://example.org",
      "tarball: https://npm.example.org/koffi/-/koffi-3.tgz",
      "https://artifactory.example.org/api/npm",
      "https://registry.npmjs.org/koffi",
      "http://localhost:4873/koffi"
    ]
    for (const line of lines) {
      assert.notDeepEqual(check(Text.machineTraces, { "pnpm-lock.yaml": line }), [], line)
    }
    assert.deepEqual(check(Text.machineTraces, { "README.md": "https://www.npmjs.com/package/koffi" }), [])
    assert.match(check(Text.machineTraces, { ".npmrc": "save-exact=true" })[0]!, /overrides the machine's own/)
  })

  it("reports names without a concept, and kernels that are not in PascalCase", () => {
    const found = check(Text.fileNames, {
      "packages/core/src/memory/utils.ts": "",
      "packages/store/src/index.ts": "",
      "packages/store/src/mapped/index.ts": "",
      "packages/core/src/memory/int64.ts": "",
      "packages/core/src/region.ts": "",
      "packages/core/src/memory/Int64.ts": "",
      "packages/core/src/internal/agentFiber.ts": "",
      "packages/core/src/internal/NativeUdpPort.ts": "",
      "packages/store/src/testing.ts": "",
      "packages/store/test/fixtures/types.ts": ""
    })
    assert.deepEqual(
      found.map((text) => text.slice(0, text.indexOf(":"))),
      [
        "packages/core/src/memory/utils.ts",
        "packages/store/src/mapped/index.ts",
        "packages/core/src/memory/int64.ts",
        "packages/core/src/region.ts"
      ]
    )
  })

  it("reports a file of more than a mebibyte", () => {
    const found = check(Text.fileSizes, { "big.bin": "x".repeat(1024 * 1024 + 1), "small.bin": "x" })
    assert.deepEqual(found, ["big.bin: holds 1048577 bytes, more than 1048576"])
  })

  it("reports links of a page to files that are not there", () => {
    const found = check(Text.links, {
      "README.md": "[a](docs/a.md) [b](docs/b.md#part) [c](docs) [d](https://example.org/x) [e](#part) [f](docs/)",
      "docs/a.md": "[r](../README.md) [x](../gone.md)"
    })
    assert.deepEqual(found, [
      "README.md:1 links to docs/b.md, which is not there",
      "docs/a.md:1 links to ../gone.md, which is not there"
    ])
  })
})
