/**
 * Figures in documents. What stands between two marks of a page is what the command in the first of them has printed, in
 * a whole run with `--write`:
 *
 *     <!-- printed by: pnpm bench store/java -->
 *     …
 *     <!-- end of what was printed -->
 *
 * Nothing else puts a figure there, and `pnpm docs:check` finds those that stand elsewhere.
 */
import { matches } from "./BenchFiles.ts"
import { extrasOf, formatMachine, formatRatio, formatSpread, type Machine, scaled } from "./Report.ts"
import type { CaseResult, GroupResult } from "./Result.ts"

export interface Run {
  readonly machine: Machine
  /** How busy the machine was at the beginning: the mean of the last minute. */
  readonly load: number
  readonly groups: ReadonlyArray<GroupResult>
  /** What was asked for on the command line; nothing is everything. */
  readonly prefixes: ReadonlyArray<string>
  /** Whether it was the long form. */
  readonly isLarge: boolean
}

const BLOCK = /^(<!-- printed by: (BENCH_LARGE=1 )?pnpm bench (\S+) -->\n)[^]*?^(<!-- end of what was printed -->)$/gm

/** The page with those of its blocks written anew of which the run has measured everything. */
export const fill = (markdown: string, run: Run): string =>
  markdown.replaceAll(BLOCK, (block, begin: string, large: string | undefined, prefix: string, end: string) => {
    const isMeasured = matches(prefix, run.prefixes) && (large === undefined || run.isLarge)
    const groups = run.groups.filter(({ name }) => matches(name, [prefix]) || matches(prefix, [name]))
    return isMeasured && groups.length > 0 ? `${begin}\n${tableOf(prefix, groups, run)}\n\n${end}` : block
  })

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const tableOf = (prefix: string, groups: ReadonlyArray<GroupResult>, { load, machine }: Run): string =>
  [
    row(["", "time of one [lowest, highest]", "rate", "ratio [lowest, highest]", ""]),
    row(["---", "---", "---:", "---", "---"]),
    ...groups.flatMap(({ cases }) => cases.map((result) => rowOf(prefix, result))),
    "",
    `${formatMachine(machine)}, load at the beginning ${load.toFixed(1)}; medians of five runs.`
  ].join("\n")

const rowOf = (prefix: string, result: CaseResult): string =>
  row([
    result.name.slice(prefix.length + 1),
    formatSpread(result.nsPerOperation),
    `${scaled(result.operationsPerSecond.median)}/s`,
    formatRatio(result),
    extrasOf(result).join(", ")
  ])
