/**
 * What a child process of the demo tells its parent: one JSON object a line on its standard output.
 */
import * as Schema from "effect/Schema"
import { CommandErrorReason } from "../CommandError.ts"

const Progress = Schema.TaggedStruct("Progress", { records: Schema.Natural })

/** All of the child's work is done. */
export const Done = Schema.TaggedStruct("Done", {
  records: Schema.Natural,
  /** Payload bytes of the records. */
  bytes: Schema.Natural,
  /** From the first record to the end record. */
  elapsedMs: Schema.Finite,
  /** When it began and ended, for measurements over several processes: milliseconds since 1970 with their fractions. */
  startedMs: Schema.optionalKey(Schema.Finite),
  endedMs: Schema.optionalKey(Schema.Finite),
  /** The part of it that the store took, where there is a store. */
  storeMs: Schema.optionalKey(Schema.Finite),
  peakMemoryBytes: Schema.Natural
})

/** The child gives up. `reason` is there when it is one of this package's own. */
export const Failed: Schema.TaggedStruct<
  "Failed",
  { readonly message: Schema.String; readonly reason: Schema.optionalKey<typeof CommandErrorReason> }
> = Schema.TaggedStruct("Failed", {
  message: Schema.String,
  reason: Schema.optionalKey(CommandErrorReason)
})

export const ChildEvent: Schema.Union<readonly [typeof Progress, typeof Done, typeof Failed]> = Schema.Union([
  Progress,
  Done,
  Failed
])

export type Done = typeof Done.Type
export type ChildEvent = typeof ChildEvent.Type
