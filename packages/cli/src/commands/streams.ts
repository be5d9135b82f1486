/** `millrace streams`: the counters of each stream of a driver. */
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
  { title: "  counter" },
  { title: "of", align: "right" },
  { title: "value", align: "right" }
]

const linesOf = (stream: Inspector.StreamCounters, style: Style): ReadonlyArray<string> => [
  "",
  style.strong(`stream ${stream.streamId}  session ${stream.sessionId}  ${printable(stream.channel)}`),
  ...Table.lines(
    COLUMNS,
    stream.counters.map(({ name, registrationId, value }) => [
      `  ${printable(name)}`,
      String(registrationId),
      grouped(value)
    ]),
    style.faint
  )
]

const toJson = ({ channel, counters, sessionId, streamId }: Inspector.StreamCounters) => ({
  streamId,
  sessionId,
  channel,
  counters: counters.map(({ name, registrationId, typeId, value }) => ({
    name,
    typeId,
    registrationId: int64(registrationId),
    value: int64(value)
  }))
})

const content = (inspector: Inspector.Inspector, filter: StreamFilter) =>
  Effect.map(inspector.streams, (all) => {
    const streams = all.filter((stream) => isWanted(filter, stream))
    return {
      lines: (style: Style) =>
        streams.length === 0 ? ["No stream is there."] : streams.flatMap((stream) => linesOf(stream, style)),
      json: { streams: streams.map(toJson) }
    }
  })

export const streams = Command.make(
  "streams",
  { directory: driverDirectory, ...streamFilters, watch, json },
  lookAtDriver(content)
).pipe(
  Command.withDescription(
    "Shows the counters of each stream of a driver together: positions and limits of its publication, its sender, its " +
      "receiver and its subscribers, each with the id of what it belongs to."
  ),
  Command.withShortDescription("Show the positions of each stream"),
  Command.withExamples([
    { command: "millrace streams", description: "All streams of the driver that the user's programs share" },
    { command: "millrace streams --stream 1001 --watch 0.5", description: "One stream, twice a second" }
  ])
)
