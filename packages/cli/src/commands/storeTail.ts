/** `millrace store tail DIR`: the last messages of a topic. */
import type * as Message from "@millrace/store/Message"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lastMessages } from "../internal/lastMessages.ts"
import { newMessages } from "../internal/newMessages.ts"
import { onlyTopic } from "../internal/onlyTopic.ts"
import * as OpenStore from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import * as Style from "../output/Style.ts"
import * as Table from "../output/Table.ts"
import * as Text from "../output/Text.ts"
import * as MessageLine from "../store/MessageLine.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json, positive } from "./flags.ts"

const toJson = (message: Message.StoredMessage) => {
  const { body, keys, position, queueId, queueOffset, storeTimestamp, tags } = message
  const text = Text.fromUtf8(body)
  return {
    queueId,
    queueOffset,
    position,
    storeTimestamp,
    key: keys ?? null,
    tag: tags ?? null,
    ...(text === undefined ? { bodyBase64: Buffer.from(body).toString("base64") } : { body: text })
  }
}

const jsonLine = (message: Message.StoredMessage): string => JSON.stringify(toJson(message))

const print = Effect.fnUntraced(function* (messages: ReadonlyArray<Message.StoredMessage>, asJson: boolean) {
  const style = yield* Style.current
  const table = () => Table.lines(MessageLine.COLUMNS, messages.map(MessageLine.rowOf), style.faint)
  yield* Lines.print(asJson ? messages.map(jsonLine) : table())
})

/** Rows that come one by one have no table to fit into. */
const rowLine = (message: Message.StoredMessage): string => MessageLine.rowOf(message).join("  ")

export const storeTail = Command.make(
  "tail",
  {
    directory: StoreFlags.directory,
    topic: StoreFlags.onlyTopic,
    tag: Flag.String("tag").pipe(
      Flag.withDescription("Only messages with this tag; 'A || B' for either"),
      Flag.withMetavar("TAG"),
      Flag.optional
    ),
    count: positive("count").pipe(
      Flag.withDescription("How many messages [10]"),
      Flag.withMetavar("N"),
      Flag.withDefault(10)
    ),
    follow: Flag.Boolean("follow").pipe(
      Flag.withDescription("Go on with the messages that come, until Ctrl-C"),
      Flag.withDefault(false)
    ),
    config: StoreFlags.config,
    json
  },
  ({ config, count, directory, follow, json, tag, topic }) =>
    Effect.gen(function* () {
      const { queues, topic: name } = yield* onlyTopic(directory, topic)
      const store = yield* MessageStore.MessageStore
      const tags = Option.getOrUndefined(tag)
      yield* print(yield* lastMessages(store, queues, { topic: name, count, tags }), json)
      if (follow) {
        const arriving = newMessages(store, queues, { topic: name, tags })
        yield* Lines.printAll(Stream.map(arriving, json ? jsonLine : rowLine))
      }
    }).pipe(Effect.provide(OpenStore.readOnly(directory, config)))
).pipe(
  Command.withDescription("Show the last messages of a topic. Works beside a process that writes."),
  Command.withShortDescription("Show the last messages of a topic"),
  Command.withExamples([
    { command: "millrace store tail trades --topic trades --count 5", description: "The last five messages" },
    {
      command: "millrace store tail trades --topic trades --tag AAPL --follow --json",
      description: "Those of a tag and what comes, one JSON object a line"
    }
  ])
)
