/** `millrace errors`: the distinct errors that a driver has recorded. */
import type * as Inspector from "@millrace/transport/Inspector"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { lookAtDriver } from "../internal/lookAtDriver.ts"
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

const content = (inspector: Inspector.Inspector) =>
  Effect.map(inspector.errors, (errors) => ({
    lines: (style: Style) => [
      ...errors.flatMap((error) => linesOf(error, style)),
      "",
      plural(errors.length, "distinct error")
    ],
    json: { errors: errors.map(toJson) }
  }))

export const errors = Command.make("errors", { directory: driverDirectory, watch, json }, lookAtDriver(content)).pipe(
  Command.withDescription(
    "Shows the distinct errors that a driver has recorded, each with how often and when it was seen."
  ),
  Command.withShortDescription("Show what errors a driver has recorded"),
  Command.withExamples([
    { command: "millrace errors", description: "Of the driver that the user's programs share" },
    { command: "millrace errors --json", description: "The same for a script" }
  ])
)
