/** What `top` and `web` show of one moment. */
import type { DriverSample } from "./DriverSample.ts"
import type { StoreSample } from "./StoreSample.ts"

/** What was to be looked at and is not there now. */
export interface Absent {
  readonly directory: string
  readonly problem: string
}

export interface Sample {
  readonly timeMs: number
  /** Null where no driver was asked for. */
  readonly driver: DriverSample | Absent | null
  readonly store: StoreSample | Absent | null
}

export const isAbsent = (part: DriverSample | StoreSample | Absent): part is Absent => "problem" in part
