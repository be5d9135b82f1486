import assert from "node:assert/strict"
import { describe, it } from "vitest"
import * as Fences from "../../examples/Fences.ts"

const PAGE = "# Title\n\n```sh\nls\n```\n\n```ts\nconst a = 1\n\nrun(a)\n```\n\n```yaml\na: b\n```\n\n```\nx\n```\n"

describe("fenced blocks of a page", () => {
  it("are found with their kind and the line of their code", () => {
    assert.deepEqual(
      Fences.find(PAGE).map(({ kind, line }) => [kind, line]),
      [
        ["sh", 4],
        ["ts", 8],
        ["yaml", 14],
        ["", 18]
      ]
    )
    assert.equal(Fences.ofKind(PAGE, "ts")[0]!.code, "const a = 1\n\nrun(a)\n")
  })

  it("are unknown when nothing runs or holds their kind", () => {
    assert.deepEqual(
      Fences.findUnknown(PAGE).map(({ line }) => line),
      [14, 18]
    )
  })

  it("may hold shorter fences", () => {
    assert.deepEqual(Fences.find("````text\n```ts\na\n```\n````\n"), [
      { kind: "text", code: "```ts\na\n```\n", line: 2 }
    ])
  })
})
