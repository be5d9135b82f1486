import assert from "node:assert/strict"
import { dirname } from "node:path"
import { describe, it } from "vitest"
import * as ShellBlocks from "../../examples/ShellBlocks.ts"

const ROOT = dirname(dirname(dirname(import.meta.dirname)))

const page = (...blocks: ReadonlyArray<readonly [language: string, code: string]>): string =>
  blocks.map(([language, code]) => `Text.\n\n\`\`\`${language}\n${code}\n\`\`\`\n`).join("\n")

describe("commands of a page", () => {
  it("are those of its shell blocks, in their order", () => {
    assert.equal(
      ShellBlocks.find(page(["sh", "one"], ["console", "sysctl"], ["ts", "two"], ["sh", "three"])),
      "one\nthree\n"
    )
  })

  it("run in one shell, with the command line on the path", async () => {
    const code = ShellBlocks.find(
      page(["sh", "name=first"], ["sh", `test "$name" = first\nmillrace --version | grep -q .`])
    )
    assert.equal(await ShellBlocks.run(ROOT, code), undefined)
  })

  it("fail with the code and the output of the first that fails", async () => {
    const failure = await ShellBlocks.run(ROOT, "echo before\nfalse\necho never\n")
    assert.match(failure!, /^ended with code 1\nbefore\n$/)
  })

  it("fail when a command before a pipe fails", async () => {
    assert.match((await ShellBlocks.run(ROOT, "false | cat\n"))!, /^ended with code 1/)
  })

  it("leave nothing running", async () => {
    // What was left would keep the output open, and this would never end.
    assert.equal(await ShellBlocks.run(ROOT, "sleep 3600 &\n"), undefined)
  })
})
