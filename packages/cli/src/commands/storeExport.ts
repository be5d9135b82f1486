/** `millrace store export DIR`: every record of a store. */
import * as Inspect from "@millrace/store/Inspect"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import { refuseNoStore } from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import { grouped, plural } from "../output/Quantity.ts"
import * as Text from "../output/Text.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { withProgress } from "../store/WithProgress.ts"
import { json } from "./flags.ts"

const textOf = (line: Inspect.ExportLine): string => {
  if ("summary" in line) {
    const { end, messageCount, queues, reason } = line.summary
    return `${plural(messageCount, "record")} in ${plural(queues.length, "queue")}; the log ends at ${grouped(end)}: ${reason}`
  }
  const { body, keys, physicalOffset, queueId, queueOffset, tags, topic } = line
  const place = `${physicalOffset}  ${Text.printable(topic)}/${queueId}/${queueOffset}`
  const named = [keys, tags].map((text) => Text.printable(text ?? "")).join("  ")
  return `${place}  ${named}  ${Text.body(Buffer.from(body, "base64"))}`
}

export const storeExport = Command.make(
  "export",
  { directory: StoreFlags.directory, config: StoreFlags.config, json },
  ({ config, directory, json }) =>
    Effect.gen(function* () {
      yield* refuseNoStore(directory)
      const settings = yield* StoreFlags.settingsOf(config)
      const lines = Inspect.exported({ ...settings, directory })
      const stdio = yield* Stdio.Stdio
      const printing = Lines.printAll(Stream.map(lines, (line) => (json ? JSON.stringify(line) : textOf(line))))
      // On a terminal the records themselves show how far it has come.
      yield* (yield* stdio.stdoutIsTerminal) ? printing : withProgress(printing)
    })
).pipe(
  Command.withDescription(
    "Prints every record in the order of the log up to the first place that holds none, then a summary with the queues. It " +
      "changes nothing, takes no lock, and works on a store in any state."
  ),
  Command.withShortDescription("Print every record of a store"),
  Command.withExamples([
    { command: "millrace store export trades --json > trades.ndjson", description: "One JSON object a line" },
    { command: "millrace store export trades", description: "To look at" }
  ])
)
