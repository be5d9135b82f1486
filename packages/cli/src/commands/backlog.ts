/** `millrace backlog`: how far behind each part of each stream is. */
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
  { title: "  who" },
  { title: "id", align: "right" },
  { title: "position", align: "right" },
  { title: "behind", align: "right" },
  { title: "room left", align: "right" }
]

const rowsOf = ({ publisher, receiver, sender, subscribers }: Inspector.StreamBacklog) => [
  ...(publisher === undefined ? [] : [row("publisher", publisher, undefined, publisher.remaining)]),
  ...(sender === undefined ? [] : [row("sender", sender, sender.backlog, sender.window)]),
  ...(receiver === undefined ? [] : [row("receiver", receiver, receiver.backlog, undefined)]),
  ...subscribers.map((subscriber) => row("subscriber", subscriber, subscriber.backlog, undefined))
]

const row = (
  who: string,
  { position, registrationId }: { readonly position: bigint; readonly registrationId: bigint },
  behind: bigint | undefined,
  room: bigint | undefined
): ReadonlyArray<string> => [
  `  ${who}`,
  String(registrationId),
  grouped(position),
  behind === undefined ? "" : grouped(behind),
  room === undefined ? "" : grouped(room)
]

const linesOf = (stream: Inspector.StreamBacklog, style: Style): ReadonlyArray<string> => [
  "",
  style.strong(`stream ${stream.streamId}  session ${stream.sessionId}  ${printable(stream.channel)}`),
  ...Table.lines(COLUMNS, rowsOf(stream), style.faint)
]

/** The 64-bit values of a part of a stream as JSON has them. */
const part = (values: object | undefined) =>
  values === undefined
    ? null
    : Object.fromEntries(Object.entries(values).map(([name, value]) => [name, int64(value as bigint)]))

const toJson = ({
  channel,
  publisher,
  receiver,
  sender,
  sessionId,
  streamId,
  subscribers
}: Inspector.StreamBacklog) => ({
  streamId,
  sessionId,
  channel,
  publisher: part(publisher),
  sender: part(sender),
  receiver: part(receiver),
  subscribers: subscribers.map(part)
})

const content = (inspector: Inspector.Inspector, filter: StreamFilter) =>
  Effect.map(inspector.backlogs, (all) => {
    const streams = all.filter((stream) => isWanted(filter, stream))
    return {
      lines: (style: Style) =>
        streams.length === 0 ? ["No stream is there."] : streams.flatMap((stream) => linesOf(stream, style)),
      json: { streams: streams.map(toJson) }
    }
  })

export const backlog = Command.make(
  "backlog",
  { directory: driverDirectory, ...streamFilters, watch, json },
  lookAtDriver(content)
).pipe(
  Command.withDescription(
    "Shows how many bytes each part of a stream is behind the one before it, and how many more its publisher and sender " +
      "may go before they are held back."
  ),
  Command.withShortDescription("Show who is behind, and by how much"),
  Command.withExamples([
    { command: "millrace backlog", description: "All streams of the driver that the user's programs share" },
    { command: "millrace backlog --channel 20223 --watch 1", description: "Those of one endpoint, each second" }
  ])
)
