/**
 * `pnpm coverage`: runs every test and prints how much of each area's statements and branches ran. What only child
 * processes and workers run is not seen by it, so glue and commands have more tests than it says.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"

const ROOT = dirname(dirname(import.meta.dirname))

/** Of each kernel, in percent; one that has less is listed by its file. */
const KERNEL_MIN = 90

interface Count {
  readonly total: number
  readonly covered: number
}
interface Coverage {
  readonly statements: Count
  readonly branches: Count
}

const folder = mkdtempSync(join(tmpdir(), "millrace-coverage-"))
const measure = (): Readonly<Record<string, Coverage>> => {
  const options = [
    "--coverage.enabled",
    "--coverage.provider=v8",
    "--coverage.reporter=json-summary",
    "--coverage.include=packages/{core,transport,store,cli}/src/**/*.ts",
    `--coverage.reportsDirectory=${folder}`,
    "--coverage.reportOnFailure"
  ]
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs")
  const done = spawnSync(process.execPath, [vitest, "run", ...options], { cwd: ROOT, stdio: "inherit" })
  process.exitCode = done.status ?? 1
  const { total: _, ...files } = JSON.parse(readFileSync(join(folder, "coverage-summary.json"), "utf8"))
  return files
}

/** `core/logbuffer`, `store/internal`; `core` for its public modules. */
const areaOf = (path: string): string => {
  const [, name = "", , ...rest] = relative(ROOT, path).split("/")
  return rest.length > 1 ? `${name}/${rest[0]}` : name
}

const isKernel = (area: string): boolean =>
  /^(core|transport|store)\//.test(area) && !area.endsWith("/internal") && !area.endsWith("/native")

const sum = (counts: ReadonlyArray<Count>): Count => ({
  total: counts.reduce((total, count) => total + count.total, 0),
  covered: counts.reduce((covered, count) => covered + count.covered, 0)
})

const percent = ({ covered, total }: Count): number => (total === 0 ? 100 : (100 * covered) / total)

const row = (name: string, statements: Count, branches: Count): string =>
  `${name.padEnd(56)} ${percent(statements).toFixed(1).padStart(6)} ${percent(branches).toFixed(1).padStart(6)}`

try {
  const files = Object.entries(measure())
  const areas = Object.groupBy(files, ([path]) => areaOf(path))
  console.log(`\n${"area".padEnd(56)} statem. branches`)
  for (const [area, members = []] of Object.entries(areas).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const covered = members.map(([, coverage]) => coverage)
    console.log(row(area, sum(covered.map((each) => each.statements)), sum(covered.map((each) => each.branches))))
  }
  const low = files.filter(
    ([path, { branches, statements }]) =>
      isKernel(areaOf(path)) && Math.min(percent(statements), percent(branches)) < KERNEL_MIN
  )
  console.log(`\nkernels under ${KERNEL_MIN} %: ${low.length}`)
  for (const [path, { branches, statements }] of low) {
    console.log(row(relative(ROOT, path), statements, branches))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
