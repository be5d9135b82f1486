import { assert, describe, it } from "vitest"
import * as Invocation from "../../src/output/Invocation.ts"

describe("Invocation", () => {
  it("names the root script when a script of the workspace runs it", () => {
    for (const script of ["millrace", "start"]) {
      assert.strictEqual(Invocation.prefix({ script, file: "packages/cli/src/bin.ts" }), "npx -y pnpm@12 -s millrace")
    }
  })

  it("names npx, the installed command, or the file that Node runs", () => {
    assert.strictEqual(Invocation.prefix({ script: "npx", file: "/home/a/.npm/x/millrace" }), "npx millrace")
    assert.strictEqual(Invocation.prefix({ script: undefined, file: "/usr/bin/millrace" }), "millrace")
    assert.strictEqual(Invocation.prefix({ script: undefined, file: undefined }), "millrace")
    assert.strictEqual(Invocation.prefix({ script: "test", file: "my clone/src/bin.ts" }), "node 'my clone/src/bin.ts'")
  })

  it("quotes what a shell would take apart, and nothing else", () => {
    assert.strictEqual(Invocation.quoted("/tmp/store-1_a.b"), "/tmp/store-1_a.b")
    assert.strictEqual(Invocation.quoted("a b"), "'a b'")
    assert.strictEqual(Invocation.quoted("it's"), String.raw`'it'\''s'`)
    assert.strictEqual(Invocation.quoted(""), "''")
  })
})
