/** `millrace store stat DIR`: what there is in a store, at a glance. */
import * as Inspect from "@millrace/store/Inspect"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { refuseNoStore } from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import { bytes, duration, grouped, latency, perSecond, plural } from "../output/Quantity.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json } from "./flags.ts"

const dateOf = (timestamp: number | null): string =>
  timestamp === null || timestamp === 0 ? "never" : new Date(timestamp).toISOString()

/** What the process that has the store open says of itself. */
const writerLines = (writer: Inspect.WriterFigures): ReadonlyArray<string> => {
  const { lastSyncs, syncCount, syncTimeMs, writtenAt } = writer
  const sinceMs = writtenAt - writer.openedAt
  const each = (count: number, bytesAll: number): string =>
    `${plural(count, "message")}, ${bytes(bytesAll)} (${grouped(perSecond(count, sinceMs))}/s)`
  const syncs =
    lastSyncs === null
      ? "none yet"
      : `${grouped(syncCount)}, ${latency(syncTimeMs / Math.max(1, syncCount))} on average; in the last second with any, ` +
        `${duration(writtenAt - lastSyncs.at)} ago: p50 ${latency(lastSyncs.p50Ms)}, p99 ${latency(lastSyncs.p99Ms)}, ` +
        `max ${latency(lastSyncs.maxMs)}`
  return [
    `writer    ${writer.isWriteable ? "takes messages" : "REFUSES MESSAGES"}; ${grouped(writer.refusalCount)} refused, ${plural(writer.waitingReaderCount, "waiting reader")}`,
    `since     ${dateOf(writer.openedAt)}: put ${each(writer.putMessageCount, writer.putBytes)}; read ${each(writer.getMessageCount, writer.getBytes)}`,
    `syncs     ${syncs}`,
    `behind    flush ${bytes(writer.dirtyBytes)}, dispatch ${bytes(writer.dispatchBehindBytes)}, commit ${bytes(writer.commitBehindBytes)}`
  ]
}

const stateOf = ({ isOpen, pid, writer }: Inspect.Overview): string => {
  const holder = pid === null ? "some process" : `process ${pid}`
  if (!isOpen) {
    return "closed"
  }
  if (writer === null) {
    return `open in ${holder}, or not closed by it`
  }
  return writer.isLive
    ? `open in ${holder}`
    : `left open by ${holder}, which has given no sign of life since ${dateOf(writer.writtenAt)}`
}

const linesOf = (overview: Inspect.Overview): ReadonlyArray<string> => {
  const { indexEntries, indexFiles, indexSlots, logFileLength, logFiles, maxPosition, minPosition, writer } = overview
  return [
    `state     ${stateOf(overview)}`,
    `log       positions ${grouped(minPosition)} to ${grouped(maxPosition)}, ${bytes(maxPosition - minPosition)} in ${plural(logFiles, "file")} of ${bytes(logFileLength)}`,
    `messages  ${grouped(overview.messages)} in ${plural(overview.queues, "queue")} of ${plural(overview.topics, "topic")}`,
    ...(overview.extendedQueues > 0
      ? [`extended  ${plural(overview.extendedQueues, "queue")}, ${bytes(overview.extendedQueueBytes)}`]
      : []),
    `index     ${plural(indexFiles, "file")} of ${grouped(indexSlots)} slots and ${grouped(indexEntries)} entries`,
    `oldest    ${dateOf(overview.firstStoreTimestamp)}`,
    `flushed   log ${dateOf(overview.logFlushedTimestamp)}, queues ${dateOf(overview.queuesFlushedTimestamp)}, index ${dateOf(overview.indexFlushedTimestamp)}`,
    `device    ${bytes(overview.freeBytes)} of ${bytes(overview.totalBytes)} free`,
    ...(writer?.isLive === true ? writerLines(writer) : [])
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
    "Shows positions, files, messages, what is flushed, room on the device, and of the process that has the store open what " +
      "it puts and reads, how long its syncs take and how far it is behind. Works beside a process that writes."
  ),
  Command.withShortDescription("Show what there is in a store"),
  Command.withExamples([
    { command: "millrace store stat trades", description: "At a glance" },
    { command: "millrace store stat trades --json", description: "The same for a script" }
  ])
)
