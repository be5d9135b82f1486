import type { Spread } from "./Summary.ts"

export interface CaseResult {
  /** Full name: the group's and the case's. */
  readonly name: string
  readonly runs: number
  /** Operations of each run. */
  readonly operations: number
  readonly nsPerOperation: Spread
  readonly operationsPerSecond: Spread
  readonly bytesPerSecond?: number
  readonly allocatedBytesPerOperation?: number
  /** Operations per second over the baseline's, run by run. Absent from the baseline itself. */
  readonly ratio?: Spread
  readonly baseline?: string
  readonly figures?: Readonly<Record<string, Spread>>
  readonly goal?: string
}

export interface GroupResult {
  readonly name: string
  readonly cases: ReadonlyArray<CaseResult>
}
