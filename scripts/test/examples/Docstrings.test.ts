import assert from "node:assert/strict"
import { describe, it } from "vitest"
import * as Docstrings from "../../examples/Docstrings.ts"

const MODULE = [
  "/**",
  " * Adds.",
  " *",
  " * ```ts",
  ` * import * as Sum from "@millrace/core/Sum"`,
  " *",
  " * const one = 1",
  " * Sum.add(",
  " *   one,",
  " *   2",
  " * ) // => 3",
  " *",
  " * Promise.resolve(",
  " *   Sum.add(one, 4)",
  " * )",
  " * // => 5",
  " * ```",
  " */",
  "export const add = 0",
  "/**",
  " * ```ts",
  " * declare const never: never",
  " * ```",
  " * ```sh",
  " * ls",
  " * ```",
  " */"
].join("\n")

const example = (code: string): Docstrings.Example => ({ path: "A.ts", line: 1, code })

describe("Docstrings", () => {
  it("finds the blocks of TypeScript with their lines", () => {
    const found = Docstrings.find("packages/core/src/Sum.ts", MODULE)
    assert.deepEqual(
      found.map(({ line }) => line),
      [5, 22]
    )
    assert.equal(found[1]!.code, "declare const never: never")
    assert.deepEqual(found.map(Docstrings.isRun), [true, false])
  })

  it("turns what an expression comes to into an assertion", () => {
    const program = Docstrings.toProgram(Docstrings.find("Sum.ts", MODULE)[0]!)
    assert.match(program, /deepEqual\(\nawait \(\nSum\.add\(\n {2}one,\n {2}2\n\)\n\),\n3\)/)
    assert.match(program, /await \(\nPromise\.resolve\(\n {2}Sum\.add\(one, 4\)\n\)\n\),\n5\)/)
    assert.match(program, /^const one = 1$/m)
  })

  it("keeps a chain that begins on its own line together", () => {
    const program = Docstrings.toProgram(example("const a = 1\na\n  .toString()\n// => '1'"))
    assert.match(program, /const a = 1\nassertExample\.deepEqual\(\nawait \(\na\n {2}\.toString\(\)\n\),\n'1'\)/)
  })

  it("refuses a value after something that is no expression", () => {
    assert.throws(() => Docstrings.toProgram(example("const a = 1 // => 1")), /no expression before "\/\/ => 1"/)
    assert.throws(() => Docstrings.toProgram(example("// => 1")), /no expression/)
  })

  it("refuses a line that has left the margin of the comment", () => {
    const text = `/**\n * \`\`\`ts\n * const a = 1\nimport b from "b"\n * \`\`\`\n */`
    assert.throws(() => Docstrings.find("A.ts", text), /A\.ts:4 is a line of an example outside/)
  })
})
