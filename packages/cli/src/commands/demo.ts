import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

export const demo = Command.make(
  "demo",
  {
    file: Argument.String("file").pipe(
      Argument.withMetavar("FILE"),
      Argument.withDescription(".json (an array of objects), .ndjson or .csv with any columns [20,000 flights]"),
      Argument.optional
    ),
    repeat: Flag.Int("repeat").pipe(
      Flag.withDescription("Send the records N times"),
      Flag.withMetavar("N"),
      Flag.withDefault(1)
    )
  },
  () => Effect.void
)
