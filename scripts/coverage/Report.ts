/** What a run of all tests has covered, by area, and what of a kernel is not covered without a reason. */
import * as Finding from "../tidy/Finding.ts"
import type { Reason } from "./Reasons.ts"

/** Of each kernel's statements and of its branches, in percent. One that has less needs a reason. */
const KERNEL_MIN = 90

interface Count {
  readonly total: number
  readonly covered: number
}

export interface Coverage {
  readonly statements: Count
  readonly branches: Count
}

/** By the path from the root. */
export type Files = Readonly<Record<string, Coverage>>

/** `core/logbuffer`, `store/internal`; `core` for its public modules. */
const areaOf = (path: string): string => {
  const [, name = "", , ...rest] = path.split("/")
  return rest.length > 1 ? `${name}/${rest[0]}` : name
}

const isKernel = (path: string): boolean => /^(core|transport|store)\/(?!internal$|native$)/.test(areaOf(path))

const percent = ({ covered, total }: Count): number => (total === 0 ? 100 : (100 * covered) / total)

/** Rounded down, so that what reads 90.0 is no less. */
const shown = (count: Count): string => (Math.floor(10 * percent(count)) / 10).toFixed(1)

const row = (name: string, { branches, statements }: Coverage): string =>
  name.padEnd(60) + shown(statements).padStart(9) + shown(branches).padStart(9)

const sum = (counts: ReadonlyArray<Count>): Count => ({
  total: counts.reduce((total, count) => total + count.total, 0),
  covered: counts.reduce((covered, count) => covered + count.covered, 0)
})

/** A line an area, and one a kernel that has too little. */
export const table = (files: Files): ReadonlyArray<string> => {
  const areas = Object.groupBy(Object.keys(files).toSorted(), areaOf)
  return [
    `${"area".padEnd(60)}  statem. branches`,
    ...Object.entries(areas).map(([area, paths = []]) =>
      row(area, {
        statements: sum(paths.map((path) => files[path]!.statements)),
        branches: sum(paths.map((path) => files[path]!.branches))
      })
    ),
    "",
    `kernels under ${KERNEL_MIN} %`,
    ...lowOf(files).map((path) => row(path, files[path]!))
  ]
}

const lowOf = (files: Files): ReadonlyArray<string> =>
  Object.keys(files).filter(
    (path) => isKernel(path) && Math.min(percent(files[path]!.statements), percent(files[path]!.branches)) < KERNEL_MIN
  )

/** Kernels that have too little for no reason, or less than their reason excuses, and reasons that excuse nothing. */
export const check = (files: Files, reasons: Readonly<Record<string, Reason>>): ReadonlyArray<Finding.Finding> => {
  const low = lowOf(files)
  const ofFiles = low.flatMap((path) => {
    const { branches, statements } = files[path]!
    const least = Math.min(percent(statements), percent(branches))
    const figures = `${shown(statements)} % of its statements and ${shown(branches)} % of its branches are covered`
    const reason = reasons[path]
    if (reason === undefined) {
      return [{ path, message: `${figures}, ${KERNEL_MIN} are due: test the rest, or say why not in Reasons.ts` }]
    }
    return least < reason.percent ? [{ path, message: `${figures}, its reason excuses ${reason.percent}` }] : []
  })
  const ofReasons = Object.keys(reasons)
    .filter((path) => !low.includes(path))
    .map((path) => ({ path, message: "has a reason that excuses nothing: take it from Reasons.ts" }))
  return Finding.sort([...ofFiles, ...ofReasons])
}
