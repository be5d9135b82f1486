import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { render, section } from "../../docs/formats.ts"

const SOURCE = `/**
 * A record.
 *
 * \`\`\`
 *   +-----+
 *  0| a|b |
 * \`\`\`
 */
import { X } from "./X.ts"

/** Where it is,
 * in bytes: 1 | 2. */
export const OFFSET = X
export const FLAG = 0x80
export const MASK = FLAG | 0x0f
export const LARGE = 2 ** 58
const PRIVATE = 7
export const name = "not a number"
export const read = (offset: number): number => offset + PRIVATE
`

const MODULE = { OFFSET: 12, FLAG: 0x80, MASK: 0x8f, LARGE: 2 ** 58, name: "", read: () => 0 }

describe("formats", () => {
  it("are in the tree as the descriptors have them", async () => {
    assert.strictEqual(readFileSync(new URL("../../../docs/formats.md", import.meta.url), "utf8"), await render())
  })

  const page = section("Record", "src/Record.ts", SOURCE, MODULE)

  it("shows the opening comment with its picture as text, without the comment's margin", () => {
    assert.include(
      page,
      "### Record\n\n[src/Record.ts](../src/Record.ts)\n\nA record.\n\n```text\n  +-----+\n 0| a|b |\n```\n"
    )
  })

  it("shows exported numbers with the values that the module has, and what the comment above says", () => {
    assert.deepStrictEqual(
      page.split("\n").filter((line) => line.startsWith("| `")),
      [
        "| `OFFSET` | 12 | Where it is, in bytes: 1 \\| 2. |",
        "| `FLAG` | 0x80 | |",
        "| `MASK` | 0x8F | |",
        "| `LARGE` | 288230376151711744 | |"
      ]
    )
  })

  it("refuses a file that does not begin with a description", () => {
    assert.throws(
      () => section("Record", "src/Record.ts", "export const OFFSET = 1\n", MODULE),
      /src\/Record.ts does not/
    )
  })
})
