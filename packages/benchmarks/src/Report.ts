import { arch, availableParallelism, cpus, platform } from "node:os"
import type { CaseResult, GroupResult } from "./Result.ts"
import type { Spread } from "./Summary.ts"

const HEADINGS = ["", "ns/op min", "median", "max", "op/s", "", ""]

/** One table a group: minimum, median and maximum of nanoseconds per operation, then the median rate and the ratio. */
export const formatGroup = (result: GroupResult): string => {
  const rows = [HEADINGS, ...result.cases.map((entry) => formatCase(result, entry))]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column >= 5 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
      )
      .join("  ")
      .trimEnd()
  )
  return [result.name, ...lines.map((line) => `  ${line}`)].join("\n")
}

const formatCase = (group: GroupResult, result: CaseResult): ReadonlyArray<string> => {
  const { min, median, max } = result.nsPerOperation
  return [
    result.name.slice(group.name.length + 1),
    digits(min),
    digits(median),
    digits(max),
    scaled(result.operationsPerSecond.median),
    formatRatio(result),
    extrasOf(result).join(", ")
  ]
}

/** Everything that is said of a case beside its time, its rate and its ratio. */
export const extrasOf = (result: CaseResult): ReadonlyArray<string> =>
  [
    result.bytesPerSecond === undefined ? "" : `${scaled(result.bytesPerSecond)}B/s`,
    result.allocatedBytesPerOperation === undefined
      ? ""
      : `${digits(result.allocatedBytesPerOperation)} B allocated/op`,
    ...Object.entries(result.figures ?? {}).map(([name, figure]) => `${name} ${formatFigure(figure)}`),
    result.goal === undefined ? "" : `(goal: ${result.goal})`
  ].filter((text) => text !== "")

export const formatRatio = ({ baseline, ratio }: CaseResult): string =>
  ratio === undefined
    ? ""
    : `${significant(ratio.median)} of ${baseline} [${significant(ratio.min)}, ${significant(ratio.max)}]`

/** Three digits, however small it is. */
const significant = (value: number): string => Number(value.toPrecision(3)).toString()

/** The median, and around it what the runs were: nothing more when there was one. */
const formatFigure = ({ max, median, min }: Spread): string =>
  min === max ? digits(median) : `${digits(median)} [${digits(min)}, ${digits(max)}]`

/** Three significant digits below a thousand, whole numbers above. */
const digits = (value: number): string => {
  if (Math.abs(value) >= 1000) {
    return Math.round(value).toString()
  }
  return Math.abs(value) < 0.005 ? "0" : Number(value.toPrecision(3)).toString()
}

/** Nanoseconds in the unit that suits their median, and around it what the runs were. */
export const formatSpread = ({ max, median, min }: Spread): string => {
  const [step, unit] = TIME_UNITS.find(([least]) => median >= least) ?? TIME_UNITS.at(-1)!
  const [low, middle, high] = [min, median, max].map((value) => digits(value / step))
  return min === max ? `${middle} ${unit}` : `${middle} ${unit} [${low}, ${high}]`
}

const TIME_UNITS: ReadonlyArray<readonly [ns: number, unit: string]> = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"]
]

/** Three digits and the letter of a thousand, a million or a billion; small ones in m, µ and n. */
export const scaled = (value: number): string => {
  const [divisor, unit] = UNITS.find(([step]) => value >= step) ?? UNITS.at(-1)!
  return `${(value / divisor).toPrecision(3)} ${unit}`
}

export interface Machine {
  readonly node: string
  readonly platform: string
  readonly processor: string
  readonly cores: number
}

export const machine = (): Machine => ({
  node: process.version,
  platform: `${platform()} ${arch()}`,
  processor: cpus()[0]?.model.trim() ?? "unknown",
  cores: availableParallelism()
})

export const formatMachine = ({ cores, node, platform: system, processor }: Machine): string =>
  `Node ${node}, ${system}, ${processor}, ${cores} cores`

const UNITS: ReadonlyArray<readonly [divisor: number, unit: string]> = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"]
]
