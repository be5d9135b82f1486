/**
 * Runs the parts of the interop tests, all or those that are named: `pnpm interop [name…] [--long] [--keep]`. Each part
 * is a folder with an `interop.ts`; `name/section` runs a section of one alone. Prints a line a check, then how many passed and failed; any failure is a failure of
 * the run.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import type { Part } from "./Part.ts"
import { Report } from "./Report.ts"

const main = async (): Promise<number> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { long: { type: "boolean", default: false }, keep: { type: "boolean", default: false } }
  })
  const parts = await loadParts()
  const names = parts.flatMap(({ name, sections = [] }) => [name, ...sections.map((section) => `${name}/${section}`)])
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    process.stderr.write(`no part ${unknown}; there are: ${names.join(", ")}\n`)
    return 2
  }
  const isChosen = (part: string, name: string): boolean => name === part || name.startsWith(`${part}/`)
  const chosen = parts.filter(
    ({ name: part }) => positionals.length === 0 || positionals.some((name) => isChosen(part, name))
  )
  const report = new Report((line) => process.stdout.write(`${line}\n`))
  const scratch = mkdtempSync(join(tmpdir(), "millrace-interop-"))
  for (const part of chosen) {
    const start = Date.now()
    process.stdout.write(`=== ${part.name}\n`)
    const sections = positionals.includes(part.name)
      ? []
      : positionals.filter((name) => isChosen(part.name, name)).map((name) => name.slice(part.name.length + 1))
    await report.attempt(part.name, () => part.run({ report, scratch, isLong: values.long, sections }))
    process.stdout.write(`=== ${part.name}: ${Math.round((Date.now() - start) / 1000)} s\n`)
  }
  if (report.failed === 0 && !values.keep) {
    rmSync(scratch, { recursive: true, force: true })
  } else {
    process.stdout.write(`the stores are kept in ${scratch}\n`)
  }
  process.stdout.write(`parts that ran: ${chosen.map(({ name }) => name).join(", ") || "none"}\n`)
  process.stdout.write(`${report.passed} passed, ${report.failed} failed\n`)
  return report.failed === 0 && report.passed > 0 ? 0 : 1
}

const loadParts = async (): Promise<ReadonlyArray<Part>> => {
  const parts: Array<Part> = []
  for (const folder of readdirSync(import.meta.dirname).toSorted()) {
    const path = join(import.meta.dirname, folder, "interop.ts")
    if (existsSync(path)) {
      const loaded = (await import(pathToFileURL(path).href)) as { readonly default: Part }
      parts.push(loaded.default)
    }
  }
  return parts
}

process.exitCode = await main()
