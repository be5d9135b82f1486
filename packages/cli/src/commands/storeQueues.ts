/** `millrace store queues DIR`: the queues of a store. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as OpenStore from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import { grouped } from "../output/Quantity.ts"
import * as Style from "../output/Style.ts"
import * as Table from "../output/Table.ts"
import { printable } from "../output/Text.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json } from "./flags.ts"

const COLUMNS: ReadonlyArray<Table.Column> = [
  { title: "topic" },
  { title: "queue", align: "right" },
  { title: "first", align: "right" },
  { title: "next", align: "right" },
  { title: "messages", align: "right" }
]

interface Row extends Pick<MessageStore.QueueInfo, "queueId" | "minOffset" | "maxOffset"> {
  readonly topic: string
  readonly messages: number
}

const rowsOf = (topics: ReadonlyArray<MessageStore.TopicInfo>, only: Option.Option<string>): ReadonlyArray<Row> =>
  topics
    .filter(({ topic }) => Option.isNone(only) || topic === only.value)
    .flatMap(({ queues, topic }) =>
      queues.map(({ maxOffset, minOffset, queueId }) => ({
        topic,
        queueId,
        minOffset,
        maxOffset,
        messages: maxOffset - minOffset
      }))
    )

const cellsOf = ({ maxOffset, messages, minOffset, queueId, topic }: Row): ReadonlyArray<string> => [
  printable(topic),
  String(queueId),
  String(minOffset),
  String(maxOffset),
  grouped(messages)
]

export const storeQueues = Command.make(
  "queues",
  { directory: StoreFlags.directory, topic: Flag.optional(StoreFlags.topic), config: StoreFlags.config, json },
  ({ config, directory, json, topic }) =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      const rows = rowsOf(yield* store.topics, topic)
      if (json) {
        return yield* Console.log(JSON.stringify(rows))
      }
      const style = yield* Style.current
      yield* Lines.print(rows.length === 0 ? ["No queue found."] : Table.lines(COLUMNS, rows.map(cellsOf), style.faint))
    }).pipe(Effect.provide(OpenStore.readOnly(directory, config)))
).pipe(
  Command.withDescription(
    "Lists the queues of a store: offset of the first message that is kept, offset of the next one, and how many there are. " +
      "Works beside a process that writes."
  ),
  Command.withShortDescription("List the queues of a store"),
  Command.withExamples([
    { command: "millrace store queues trades", description: "All queues" },
    { command: "millrace store queues trades --topic trades --json", description: "Those of a topic, for a script" }
  ])
)
