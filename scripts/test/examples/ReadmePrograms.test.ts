import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { findStrangers } from "../../examples/ReadmePrograms.ts"

const PAGE = "# Title\n\n```sh\nls\n```\n\n```ts\nconst a = 1\n\nrun(a)\n```\n\n```ts\nconst b = 2\n```\n"

describe("ReadmePrograms", () => {
  it("knows a program that is part of an example, blank lines and indentation aside", () => {
    assert.deepEqual(findStrangers(PAGE, ["// first\nconst a = 1\n  run(a)\n", "const b = 2"]), [])
  })

  it("reports a program that is in no example", () => {
    assert.deepEqual(
      findStrangers(PAGE, ["const a = 1\nrun(a)"]).map(({ line }) => line),
      [14]
    )
  })
})
