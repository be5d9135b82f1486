/** One thing that a machine must have, or had better have. */
export type Status = "ok" | "warn" | "fail"

export interface Check {
  readonly name: string
  readonly status: Status
  /** What was found. */
  readonly value: string
  /** What is wanted. */
  readonly limit: string
  /** What it is for, or what happens without it. */
  readonly why: string
  /** What to type; undefined where nothing is to be mended. */
  readonly mend?: string
}

export const worst = (checks: ReadonlyArray<Check>): Status =>
  checks.some(({ status }) => status === "fail")
    ? "fail"
    : checks.some(({ status }) => status === "warn")
      ? "warn"
      : "ok"

/** What is to be done is said only where something is. */
export const of = (check: Omit<Check, "mend"> & { readonly mend: string }): Check => {
  const { mend, ...rest } = check
  return check.status === "ok" ? rest : { ...rest, mend }
}

/** Below `fail` nothing works, below `warn` not as well as it could. */
export const atLeast = (value: number, warn: number, fail: number): Status =>
  value < fail ? "fail" : value < warn ? "warn" : "ok"
