/** A part of the interop tests: one peer, in a folder of its own with an `interop.ts` that has a part as its default export. */
import type { Report } from "./Report.ts"

export interface Part {
  /** The name by which the part is asked for: `pnpm interop rocketmq`. */
  readonly name: string
  /** The names of its sections, where it has some. */
  readonly sections?: ReadonlyArray<string>
  readonly run: (context: Context) => Promise<void>
}

export interface Context {
  readonly report: Report
  /** A directory that is removed when all parts have ended without a failure. */
  readonly scratch: string
  /** Whether the longer form was asked for. */
  readonly isLong: boolean
  /** The sections of the part that were asked for, as in `pnpm interop aeron/tools`; none = all of them. */
  readonly sections: ReadonlyArray<string>
}
