/** `millrace store topics DIR`: what topics a store has, and how many messages are in them. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as OpenStore from "../internal/openStore.ts"
import { grouped } from "../output/Quantity.ts"
import * as Style from "../output/Style.ts"
import * as Table from "../output/Table.ts"
import { printable } from "../output/Text.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json } from "./flags.ts"

const COLUMNS: ReadonlyArray<Table.Column> = [
  { title: "topic" },
  { title: "queues", align: "right" },
  { title: "type" },
  { title: "messages", align: "right" },
  { title: "offsets by queue" }
]

const messagesIn = (topic: MessageStore.TopicInfo): number =>
  topic.queues.reduce((sum, queue) => sum + queue.maxOffset - queue.minOffset, 0)

const rowOf = (topic: MessageStore.TopicInfo): ReadonlyArray<string> => [
  printable(topic.topic),
  String(topic.queueCount ?? topic.queues.length),
  topic.queueType,
  grouped(messagesIn(topic)),
  topic.queues.map(({ maxOffset, minOffset, queueId }) => `${queueId}: ${minOffset}–${maxOffset}`).join("  ")
]

const toJson = (topic: MessageStore.TopicInfo) => ({
  topic: topic.topic,
  queueType: topic.queueType,
  messages: messagesIn(topic),
  queues: topic.queues.map(({ maxOffset, minOffset, queueId }) => ({ queueId, minOffset, maxOffset }))
})

const print = Effect.fnUntraced(function* (topics: ReadonlyArray<MessageStore.TopicInfo>, asJson: boolean) {
  if (asJson) {
    return yield* Console.log(JSON.stringify(topics.map(toJson)))
  }
  if (topics.length === 0) {
    return yield* Console.log("The store has no topics.")
  }
  const style = yield* Style.current
  for (const line of Table.lines(COLUMNS, topics.map(rowOf), style.faint)) {
    yield* Console.log(line)
  }
})

export const storeTopics = Command.make(
  "topics",
  {
    directory: StoreFlags.directory,
    config: StoreFlags.config,
    json
  },
  ({ config, directory, json }) =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      yield* print(yield* store.topics, json)
    }).pipe(Effect.provide(OpenStore.readOnly(directory, config)))
).pipe(
  Command.withDescription(
    "List the topics of a store with their queues and messages. Works beside a process that writes."
  ),
  Command.withShortDescription("List the topics of a store"),
  Command.withExamples([
    { command: "millrace store topics trades", description: "A table of topics" },
    { command: "millrace store topics trades --json", description: "The same for a script" }
  ])
)
