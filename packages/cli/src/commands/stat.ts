/** `millrace stat`: the counters of a driver. */
import * as Inspector from "@millrace/transport/Inspector"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lookAtDriver } from "../internal/lookAtDriver.ts"
import { isWanted, type StreamFilter } from "../internal/streamFilter.ts"
import { int64 } from "../output/Json.ts"
import { grouped } from "../output/Quantity.ts"
import type { Style } from "../output/Style.ts"
import * as Table from "../output/Table.ts"
import { printable } from "../output/Text.ts"
import { driverDirectory, json, streamFilters, watch } from "./flags.ts"

interface Filter extends StreamFilter {
  readonly typeId: Option.Option<number>
}

/** A counter that belongs to no stream has no stream id, but may name a channel. */
const isShown = (counter: Inspector.Counter, filter: Filter): boolean => {
  if (Option.isSome(filter.typeId) && filter.typeId.value !== counter.typeId) {
    return false
  }
  const stream = Inspector.streamOf(counter)
  if (stream !== undefined) {
    return isWanted(filter, stream)
  }
  return (
    Option.isNone(filter.streamId) && (Option.isNone(filter.channel) || counter.label.includes(filter.channel.value))
  )
}

const COLUMNS: ReadonlyArray<Table.Column> = [
  { title: "id", align: "right" },
  { title: "value", align: "right" },
  { title: "counter" }
]

const rowOf = ({ id, label, value }: Inspector.Counter): ReadonlyArray<string> => [
  String(id),
  grouped(value),
  printable(label)
]

const toJson = ({ id, label, ownerId, referenceId, registrationId, typeId, value }: Inspector.Counter) => ({
  id,
  typeId,
  value: int64(value),
  registrationId: int64(registrationId),
  ownerId: int64(ownerId),
  referenceId: int64(referenceId),
  label
})

const content = (inspector: Inspector.Inspector, filter: Filter) =>
  Effect.map(inspector.counters, (all) => {
    const counters = all.filter((counter) => isShown(counter, filter))
    return {
      lines: (style: Style) => Table.lines(COLUMNS, counters.map(rowOf), style.faint),
      json: { counters: counters.map(toJson) }
    }
  })

export const stat = Command.make(
  "stat",
  {
    directory: driverDirectory,
    ...streamFilters,
    typeId: Flag.Int("type").pipe(
      Flag.withDescription("Only counters of this type: 0 the driver's own, 4 positions of subscribers, … [all]"),
      Flag.withMetavar("ID"),
      Flag.optional
    ),
    watch,
    json
  },
  lookAtDriver(content)
).pipe(
  Command.withDescription(
    "Shows the counters of a driver, Millrace's or Aeron's, also of one that died. What each means stands in its label."
  ),
  Command.withShortDescription("Show the counters of a driver"),
  Command.withExamples([
    { command: "millrace stat --watch 1", description: "All counters, each second" },
    { command: "millrace stat --type 0 --json", description: "Those of the driver itself, for a script" }
  ])
)
