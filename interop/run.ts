/**
 * Runs the parts of the interop tests, all or those that are named: `pnpm interop [name…] [--long] [--keep]`. Each part
 * is a folder with an `interop.ts`. Prints a line a check, then how many passed and failed; any failure is a failure of
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
  const unknown = positionals.find((name) => parts.every((part) => part.name !== name))
  if (unknown !== undefined) {
    process.stderr.write(`no part ${unknown}; there are: ${parts.map(({ name }) => name).join(", ")}\n`)
    return 2
  }
  const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const report = new Report((line) => process.stdout.write(`${line}\n`))
  const scratch = mkdtempSync(join(tmpdir(), "millrace-interop-"))
  for (const part of chosen) {
    const start = Date.now()
    process.stdout.write(`=== ${part.name}\n`)
    await report.attempt(part.name, () => part.run({ report, scratch, isLong: values.long }))
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
