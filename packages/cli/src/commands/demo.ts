/** `millrace demo [FILE]`: the whole line at work on real data. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Terminal from "effect/Terminal"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Demo from "../demo/Demo.ts"
import * as Summary from "../demo/Summary.ts"
import * as Style from "../output/Style.ts"
import { json, positive } from "./flags.ts"

const file = Argument.String("file").pipe(
  Argument.withMetavar("FILE"),
  Argument.withDescription(
    ".json (an array of objects), .ndjson or .csv with any columns; 20,000 real flights without it"
  ),
  Argument.optional
)

const column = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withMetavar("COLUMN"), Flag.optional)

const WIDTH_DEFAULT = 80

export const demo = Command.make(
  "demo",
  {
    file,
    key: column("key", "Column that is the key: its values choose the queue [origin, or the first one]"),
    tag: column("tag", "Column that is the tag, to filter by [destination, or the next one]"),
    repeat: positive("repeat").pipe(
      Flag.withDescription("Send the records N times [1]"),
      Flag.withMetavar("N"),
      Flag.withDefault(1)
    ),
    directory: Flag.String("dir").pipe(
      Flag.withDescription("Keep the store in this new directory [a temporary one, removed at the end]"),
      Flag.withMetavar("DIR"),
      Flag.optional
    ),
    json
  },
  ({ directory, file, json, key, repeat, tag }) =>
    Effect.gen(function* () {
      const summary = yield* Demo.run({
        file: Option.getOrUndefined(file),
        repeat,
        choice: { key: Option.getOrUndefined(key), tag: Option.getOrUndefined(tag) },
        directory: Option.getOrUndefined(directory),
        silent: json
      })
      if (json) {
        return yield* Console.log(JSON.stringify(Summary.toJson(summary)))
      }
      const terminal = yield* Terminal.Terminal
      const lines = Summary.toLines(summary, yield* Style.current, (yield* terminal.columns) || WIDTH_DEFAULT)
      yield* Effect.forEach(lines, (line) => Console.log(line), { discard: true })
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Streams every record of a data set from one process to another through shared memory, stores it in a durable " +
      "topic, reads all of it back, and checks that each record came back equal and in order."
  ),
  Command.withShortDescription("Watch real data flow through a stream into a store"),
  Command.withExamples([
    { command: "millrace demo", description: "20,000 flights" },
    { command: "millrace demo --repeat 5 --dir flights", description: "A hundred thousand, kept in ./flights" },
    { command: "millrace demo weather.csv --key location --tag weather", description: "Your own data" }
  ])
)
