/**
 * Figures that were measured, and the benchmarks that a page names. A rate, a time in micro- or nanoseconds and a share of a
 * core are measured figures; milliseconds and bytes are not told from settings and limits.
 */

const BLOCK = /^<!-- printed by: (?:BENCH_LARGE=1 )?pnpm bench (\S+) -->\n[^]*?^<!-- end of what was printed -->$/gm
const MARK = /^<!-- (?:printed by: |end of what was printed)/
const CODE = /^(`{3,})[^]*?^\1$/gm
const FIGURE =
  /(?<!\w)\d(?:[\d.,]*\d)?\s?(?:(?:thousand|million|[kMG])\s?)?(?:(?:ns|µs|us)\b|\/s\b|(?:[kMG]i?)?B\/s\b)|\d\s?% of a core/
const BENCH = /\bpnpm bench((?: (?:--)?[\w/.-]+)*)/g

export interface Stray {
  /** Counted from 1. */
  readonly line: number
  readonly text: string
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, "")

/** Figures that stand in no block that `pnpm bench --write` fills, and marks that make none. What a program prints is no claim: code is left out. */
export const findStrays = (markdown: string): ReadonlyArray<Stray> =>
  markdown
    .replaceAll(BLOCK, blank)
    .replaceAll(CODE, blank)
    .split("\n")
    .flatMap((line, index) => {
      const text = MARK.test(line) ? line : FIGURE.exec(line)?.[0]
      return text === undefined ? [] : [{ line: index + 1, text }]
    })

/** What is given to `pnpm bench` anywhere on a page, flags aside. */
export const findBenchNames = (markdown: string): ReadonlyArray<string> => [
  ...new Set(
    [...markdown.matchAll(BENCH)].flatMap(([, words = ""]) =>
      words.split(" ").filter((word) => word !== "" && !word.startsWith("--"))
    )
  )
]
