/**
 * `pnpm coverage`: runs every test, prints how much of each area's statements and branches ran, and fails for a kernel
 * that has too little without a reason. What only child processes and workers run is not seen, so glue and commands have
 * more tests than it says.
 *
 * `pnpm coverage packages/store/test/mapped` runs a part, and says which lines of `packages/store/src/mapped` it leaves
 * out. What tests elsewhere cover is missing then, so that it never fails for a figure.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { parseArgs } from "node:util"
import * as Finding from "../tidy/Finding.ts"
import { REASONS } from "./Reasons.ts"
import * as Report from "./Report.ts"

const ROOT = dirname(dirname(import.meta.dirname))

const { positionals: tests } = parseArgs({ allowPositionals: true })
const folder = mkdtempSync(join(tmpdir(), "millrace-coverage-"))

/** The sources beside a folder or a file of tests. */
const sourcesOf = (test: string): string => `${test.replace("/test", "/src").replace(/\/[^/]*\.test\.ts$/, "")}/**/*.ts`

/** What the tests have covered, and their exit code. */
const measure = (
  sources: ReadonlyArray<string>,
  reporters: ReadonlyArray<string>
): { readonly files: Report.Files; readonly status: number } => {
  const options = [
    "--coverage.enabled",
    "--coverage.provider=v8",
    ...["json-summary", ...reporters].map((reporter) => `--coverage.reporter=${reporter}`),
    ...sources.map((source) => `--coverage.include=${source}`),
    `--coverage.reportsDirectory=${folder}`,
    "--coverage.reportOnFailure"
  ]
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs")
  const done = spawnSync(process.execPath, [vitest, "run", ...tests, ...options], { cwd: ROOT, stdio: "inherit" })
  const { total: _, ...byPath } = JSON.parse(readFileSync(join(folder, "coverage-summary.json"), "utf8"))
  const files = Object.fromEntries(
    Object.entries<Report.Coverage>(byPath).map(([path, c]) => [relative(ROOT, path), c])
  )
  return { files, status: done.status ?? 1 }
}

const checkAll = (): number => {
  const { files, status } = measure(["packages/{core,transport,store,cli}/src/**/*.ts"], [])
  const findings = Report.check(files, REASONS)
  console.log(["", ...Report.table(files), "", ...findings.map(Finding.format)].join("\n"))
  console.log(findings.length === 0 ? "coverage: clean" : `coverage: ${findings.length} findings`)
  return status !== 0 || findings.length > 0 ? 1 : 0
}

try {
  process.exitCode = tests.length === 0 ? checkAll() : measure(tests.map(sourcesOf), ["text"]).status
} finally {
  rmSync(folder, { recursive: true, force: true })
}
