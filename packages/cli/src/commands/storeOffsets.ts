/** `millrace store offsets DIR`: how far groups of consumers have come. */
import * as Inspect from "@millrace/store/Inspect"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { refuseNoStore } from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import { grouped } from "../output/Quantity.ts"
import * as Style from "../output/Style.ts"
import * as Table from "../output/Table.ts"
import { printable } from "../output/Text.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json } from "./flags.ts"

const COLUMNS: ReadonlyArray<Table.Column> = [
  { title: "group" },
  { title: "topic" },
  { title: "queue", align: "right" },
  { title: "offset", align: "right" },
  { title: "end", align: "right" },
  { title: "lag", align: "right" }
]

const lagOf = ({ maxOffset, offset }: Inspect.ConsumerOffset): number => Math.max(0, maxOffset - offset)

const cellsOf = (row: Inspect.ConsumerOffset): ReadonlyArray<string> => [
  printable(row.group),
  printable(row.topic),
  String(row.queueId),
  String(row.offset),
  String(row.maxOffset),
  grouped(lagOf(row))
]

export const storeOffsets = Command.make(
  "offsets",
  {
    directory: StoreFlags.directory,
    group: Flag.String("group").pipe(
      Flag.withDescription("Only this group of consumers"),
      Flag.withMetavar("NAME"),
      Flag.optional
    ),
    config: StoreFlags.config,
    json
  },
  Effect.fnUntraced(function* ({ config, directory, group, json }) {
    yield* refuseNoStore(directory)
    const settings = yield* StoreFlags.settingsOf(config)
    const all = yield* Inspect.consumerOffsets({ ...settings, directory })
    const rows = all.filter((row) => Option.isNone(group) || row.group === group.value)
    if (json) {
      return yield* Console.log(JSON.stringify(rows.map((row) => ({ ...row, lag: lagOf(row) }))))
    }
    const style = yield* Style.current
    yield* Lines.print(
      rows.length === 0
        ? ["No group of consumers has left an offset in this store."]
        : Table.lines(COLUMNS, rows.map(cellsOf), style.faint)
    )
  })
).pipe(
  Command.withDescription(
    "Lists the offsets that groups of consumers have left in config/consumerOffset.json, and how far each is behind the end " +
      "of its queue. Works beside a process that writes."
  ),
  Command.withShortDescription("List how far consumers have come"),
  Command.withExamples([
    { command: "millrace store offsets trades", description: "All groups" },
    { command: "millrace store offsets trades --group settlement --json", description: "One group, for a script" }
  ])
)
