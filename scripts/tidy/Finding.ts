/** One thing that is not tidy. A gate fails when there is any: there is no list of exemptions. */
export interface Finding {
  readonly path: string
  readonly line?: number
  readonly message: string
}

export const format = ({ line, message, path }: Finding): string =>
  `${path}${line === undefined ? "" : `:${line}`}  ${message}`

/** By path and line, so that two runs print the same. */
export const sort = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings.toSorted((a, b) => (a.path === b.path ? (a.line ?? 0) - (b.line ?? 0) : a.path < b.path ? -1 : 1))
