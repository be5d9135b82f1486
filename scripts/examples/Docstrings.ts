/**
 * The examples of docstrings, as programs. Every block of TypeScript in the docstring of a public module is checked
 * against the types it speaks of, and one that says what its expressions come to is run as well:
 *
 *     Position.format(64) // => "64"
 *
 * The comment stands at the end of the expression or on the line after it. A promise is awaited.
 */

export interface Example {
  /** The module's path. */
  readonly path: string
  /** The line of the example's first line of code in the module, counted from 1. */
  readonly line: number
  readonly code: string
}

export const isRun = ({ code }: Example): boolean => /\/\/ =>/.test(code)

/** Fails on a line inside the block that has left the comment's margin, which some tools do to imports. */
export const find = (path: string, source: string): ReadonlyArray<Example> =>
  [...source.matchAll(/\/\*\*.*?\*\//gs)].flatMap((comment) =>
    [...comment[0].matchAll(/^ *\* ```ts\b[^\n]*\n(.*?)^ *\* ```$/gms)].map((block) => {
      const line = source.slice(0, comment.index + block.index).split("\n").length + 1
      const lines = block[1]!.split("\n").slice(0, -1)
      const stray = lines.findIndex((text) => !/^ *\*( |$)/.test(text))
      if (stray !== -1) {
        throw new Error(`${path}:${line + stray} is a line of an example outside of the comment's margin`)
      }
      return { path, line, code: lines.map((text) => text.replace(/^ *\* ?/, "")).join("\n") }
    })
  )

/** The example as a module that fails when an expression comes to something else than it says. */
export const toProgram = ({ code, line, path }: Example): string => {
  const output: Array<string> = [`import assertExample from "node:assert/strict"`, `// ${path}:${line}`]
  let statement: Array<string> = []
  const endStatement = () => {
    output.push(...statement)
    statement = []
  }
  for (const text of code.split("\n")) {
    const [, expression = "", expected] = /^(.*?) *\/\/ => (.*)$/.exec(text) ?? [undefined, text]
    const isBlank = expression.trim() === ""
    if (beginsStatement(expression) || (isBlank && expected === undefined)) {
      endStatement()
    }
    if (!isBlank) {
      statement.push(expression)
    }
    if (expected !== undefined) {
      if (statement.length === 0 || !isExpression(statement[0]!)) {
        throw new Error(`${path}:${line} has no expression before "// => ${expected}"`)
      }
      output.push("assertExample.deepEqual(", "await (", ...statement, "),", `${expected})`)
      statement = []
    }
  }
  endStatement()
  return `${output.join("\n")}\nexport {}\n`
}

/** A statement begins without indentation, and not with what closes one. */
const beginsStatement = (text: string): boolean => /^[^\s)}\].?:]/.test(text)

const isExpression = (text: string): boolean => !/^(const|let|import|export|for|if|while|class|function)\b/.test(text)
