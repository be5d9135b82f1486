/** `millrace errors`: the distinct errors that a driver has recorded. */
import type * as Inspector from "@millrace/transport/Inspector"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { inspectDriver } from "../internal/inspectDriver.ts"
import { driverHead, driverJson } from "../output/DriverHead.ts"
import * as Live from "../output/Live.ts"
import { plural } from "../output/Quantity.ts"
import type { Style } from "../output/Style.ts"
import { printable } from "../output/Text.ts"
import { driverDirectory, json, watch } from "./flags.ts"

const timeOf = (ms: number): string => new Date(ms).toISOString()

const linesOf = ({ count, firstMs, lastMs, text }: Inspector.RecordedError, style: Style): ReadonlyArray<string> => [
  "",
  style.strong(`${plural(count, "time")}, from ${timeOf(firstMs)} to ${timeOf(lastMs)}`),
  ...text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${printable(line.trimEnd())}`)
]

const toJson = ({ count, firstMs, lastMs, text }: Inspector.RecordedError) => ({
  count,
  first: timeOf(firstMs),
  last: timeOf(lastMs),
  text
})

const picture = Effect.fnUntraced(function* (inspector: Inspector.Inspector) {
  const status = yield* inspector.status
  const errors = yield* inspector.errors
  return {
    lines: (style) => [
      driverHead(status, style),
      ...errors.flatMap((error) => linesOf(error, style)),
      "",
      plural(errors.length, "distinct error")
    ],
    json: { ...driverJson(status), errors: errors.map(toJson) }
  } satisfies Live.Picture
})

export const errors = Command.make(
  "errors",
  { directory: driverDirectory, watch, json },
  Effect.fnUntraced(function* ({ directory, json, watch }) {
    const inspector = yield* inspectDriver(directory)
    yield* Live.show(picture(inspector), { watch, json })
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Shows the distinct errors that a driver has recorded, each with how often and when it was seen."
  ),
  Command.withShortDescription("Show what errors a driver has recorded"),
  Command.withExamples([
    { command: "millrace errors", description: "Of the driver that the user's programs share" },
    { command: "millrace errors --json", description: "The same for a script" }
  ])
)
