/** `millrace store stat DIR`: what there is in a store, at a glance. */
import * as Inspect from "@millrace/store/Inspect"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { refuseNoStore } from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import { bytes, grouped, plural } from "../output/Quantity.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json } from "./flags.ts"

const dateOf = (timestamp: number | null): string =>
  timestamp === null || timestamp === 0 ? "never" : new Date(timestamp).toISOString()

const linesOf = (overview: Inspect.Overview): ReadonlyArray<string> => {
  const { indexEntries, indexFiles, indexSlots, isOpen, logFileLength, logFiles, maxPosition, minPosition } = overview
  const holder = overview.pid === null ? "some process" : `process ${overview.pid}`
  return [
    `state     ${isOpen ? `open in ${holder}, or not closed by it` : "closed"}`,
    `log       positions ${grouped(minPosition)} to ${grouped(maxPosition)}, ${bytes(maxPosition - minPosition)} in ${plural(logFiles, "file")} of ${bytes(logFileLength)}`,
    `messages  ${grouped(overview.messages)} in ${plural(overview.queues, "queue")} of ${plural(overview.topics, "topic")}`,
    `index     ${plural(indexFiles, "file")} of ${grouped(indexSlots)} slots and ${grouped(indexEntries)} entries`,
    `oldest    ${dateOf(overview.firstStoreTimestamp)}`,
    `flushed   log ${dateOf(overview.logFlushedTimestamp)}, queues ${dateOf(overview.queuesFlushedTimestamp)}, index ${dateOf(overview.indexFlushedTimestamp)}`,
    `device    ${bytes(overview.freeBytes)} of ${bytes(overview.totalBytes)} free`
  ]
}

export const storeStat = Command.make(
  "stat",
  { directory: StoreFlags.directory, config: StoreFlags.config, json },
  Effect.fnUntraced(function* ({ config, directory, json }) {
    yield* refuseNoStore(directory)
    const settings = yield* StoreFlags.settingsOf(config)
    const overview = yield* Inspect.overview({ ...settings, directory })
    yield* json ? Console.log(JSON.stringify(overview)) : Lines.print(linesOf(overview))
  })
).pipe(
  Command.withDescription(
    "Shows positions, files, messages, what is flushed, and room on the device. Works beside a process that writes."
  ),
  Command.withShortDescription("Show what there is in a store"),
  Command.withExamples([
    { command: "millrace store stat trades", description: "At a glance" },
    { command: "millrace store stat trades --json", description: "The same for a script" }
  ])
)
