import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { summaryOf, withTable } from "../../tidy/ModuleTable.ts"

const SOURCE = `/**\n * Memory that is shared:\n * a file | an array.\n *\n * More.\n *\n * @since 0.1.0\n */\nexport {}\n`
const PAGE = "# p\n\n<!-- modules: written by `pnpm tidy --fix` -->\nold\n<!-- end of modules -->\n\nrest\n"

describe("ModuleTable", () => {
  it("takes the first paragraph of the docstring that a module begins with", () => {
    assert.equal(summaryOf(SOURCE), "Memory that is shared: a file | an array.")
    assert.equal(summaryOf(`/** One line. */\nexport {}`), "One line.")
    assert.equal(summaryOf(`/**\n * Short.\n * @since 0.1.0\n */`), "Short.")
  })

  it("takes nothing from a module that begins with something else", () => {
    assert.equal(summaryOf(`import a from "a"\n/** Later. */`), undefined)
    assert.equal(summaryOf(`/**\n * @since 0.1.0\n */`), undefined)
  })

  it("writes one row a module between its marks, and nothing else", () => {
    const page = withTable(PAGE, "@millrace/core", [{ name: "Region", source: SOURCE }])
    assert.match(
      page ?? "",
      /\n\| `@millrace\/core\/Region` \| Memory that is shared: a file \\\| an array\. \|\n\n<!-- end/
    )
    assert.doesNotMatch(page ?? "", /old/)
    assert.match(page ?? "", /^# p\n/)
    assert.match(page ?? "", /\n\nrest\n$/)
    assert.equal(withTable(page ?? "", "@millrace/core", [{ name: "Region", source: SOURCE }]), page)
  })

  it("says when a page has no place for the table", () => {
    assert.equal(withTable("# p\n", "@millrace/core", []), undefined)
  })
})
