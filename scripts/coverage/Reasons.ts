/** Why a kernel has less than it should. A reason that is needed no longer fails the gate, as a missing one does. */
export interface Reason {
  /** What it excuses: less than this many percent of the statements or of the branches is a finding again. */
  readonly percent: number
  readonly why: string
}

/** By the path from the root. */
export const REASONS: Readonly<Record<string, Reason>> = {}
