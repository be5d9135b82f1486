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
  /** What was measured; nothing is everything. */
  readonly prefixes: ReadonlyArray<string>
  /** Files of which it could not be. */
  readonly failed: ReadonlyArray<string>
  /** Whether it was the long form. */
  readonly isLarge: boolean
}

/** A block, or code, in which marks are shown and make none. */
const BLOCK =
  /^(`{3,})[^]*?^\1$|^(<!-- printed by: (BENCH_LARGE=1 )?pnpm bench (\S+) -->\n)[^]*?^(<!-- end of what was printed -->)$/gm

/** What the blocks of a page show: what has to be measured to write all of them, in the long form those of that form too. */
export const prefixesIn = (markdown: string, isLarge: boolean): ReadonlyArray<string> =>
  [...markdown.matchAll(BLOCK)].flatMap(([, , , large, prefix]) =>
    prefix !== undefined && (large === undefined || isLarge) ? [prefix] : []
  )

/** The page with those of its blocks written anew of which the run has measured everything. */
export const fill = (markdown: string, run: Run): string =>
  markdown.replaceAll(
    BLOCK,
    (
      block: string,
      _fence: string,
      begin: string,
      large: string | undefined,
      prefix: string | undefined,
      end: string
    ) => {
      if (prefix === undefined || !matches(prefix, run.prefixes) || (large !== undefined && !run.isLarge)) {
        return block
      }
      const isPart = (name: string): boolean => matches(name, [prefix]) || matches(prefix, [name])
      const groups = run.groups.filter(({ name }) => isPart(name))
      return groups.length === 0 || run.failed.some(isPart)
        ? block
        : `${begin}\n${tableOf(prefix, groups, run)}\n\n${end}`
    }
  )

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
