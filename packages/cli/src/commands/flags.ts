/** Flags that several commands have, with one meaning. */
import * as Schema from "effect/Schema"
import * as Flag from "effect/cli/Flag"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON and nothing else on standard output"),
  Flag.withDefault(false)
)

const Positive = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0, { message: "it must be a whole number above 0" }))
)

/** A count or a length. */
export const positive = (name: string) => Flag.Int(name).pipe(Flag.withSchema(Positive))
