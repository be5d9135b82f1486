/** Pages that are written from the code: to the tree, or held against it with `--check`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"

const ROOT = dirname(dirname(import.meta.dirname))

export const row = (cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`

export const table = (headings: ReadonlyArray<string>, rows: ReadonlyArray<string>): ReadonlyArray<string> => [
  row(headings),
  row(headings.map(() => "---")),
  ...rows
]

/** Writes a page; with `--check` on the command line it says whether the one in the tree is another, and changes nothing. */
export const write = (path: string, text: string): void => {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } })
  const file = join(ROOT, path)
  if (!values.check) {
    writeFileSync(file, text)
  } else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    console.error(`${path} is not what the code says: run \`pnpm docs\``)
    process.exitCode = 1
  }
}
