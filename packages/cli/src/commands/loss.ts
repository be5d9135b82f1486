/** `millrace loss`: where a driver has lost data. */
import type * as Inspector from "@millrace/transport/Inspector"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { lookAtDriver } from "../internal/lookAtDriver.ts"
import { isWanted, type StreamFilter } from "../internal/streamFilter.ts"
import { int64 } from "../output/Json.ts"
import { grouped } from "../output/Quantity.ts"
import type { Style } from "../output/Style.ts"
import * as Table from "../output/Table.ts"
import { printable } from "../output/Text.ts"
import { driverDirectory, json, streamFilters, watch } from "./flags.ts"

const COLUMNS: ReadonlyArray<Table.Column> = [
  { title: "times", align: "right" },
  { title: "bytes", align: "right" },
  { title: "first" },
  { title: "last" },
  { title: "stream", align: "right" },
  { title: "session", align: "right" },
  { title: "source" },
  { title: "channel" }
]

const timeOf = (ms: number): string => new Date(ms).toISOString()

const rowOf = (loss: Inspector.Loss): ReadonlyArray<string> => [
  grouped(loss.observationCount),
  grouped(loss.totalBytesLost),
  timeOf(loss.firstObservationMs),
  timeOf(loss.lastObservationMs),
  String(loss.streamId),
  String(loss.sessionId),
  printable(loss.source),
  printable(loss.channel)
]

const toJson = (loss: Inspector.Loss) => ({
  observationCount: int64(loss.observationCount),
  totalBytesLost: int64(loss.totalBytesLost),
  first: timeOf(loss.firstObservationMs),
  last: timeOf(loss.lastObservationMs),
  streamId: loss.streamId,
  sessionId: loss.sessionId,
  channel: loss.channel,
  source: loss.source
})

const content = (inspector: Inspector.Inspector, filter: StreamFilter) =>
  Effect.map(inspector.losses, (all) => {
    const losses = all.filter((loss) => isWanted(filter, loss))
    return {
      lines: (style: Style) =>
        losses.length === 0 ? ["Nothing was lost."] : Table.lines(COLUMNS, losses.map(rowOf), style.faint),
      json: { losses: losses.map(toJson) }
    }
  })

export const loss = Command.make(
  "loss",
  { directory: driverDirectory, ...streamFilters, watch, json },
  lookAtDriver(content)
).pipe(
  Command.withDescription(
    "Shows for each stream and source how many bytes a driver found missing, and when. What was lost was asked for again, " +
      "unless the stream is not reliable."
  ),
  Command.withShortDescription("Show where a driver has lost data"),
  Command.withExamples([
    { command: "millrace loss", description: "Of the driver that the user's programs share" },
    { command: "millrace loss --stream 1001 --watch 2", description: "Of one stream, every two seconds" }
  ])
)
