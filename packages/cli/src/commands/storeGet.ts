/** `millrace store get DIR`: messages of a queue from an offset on. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as OpenStore from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import { plural } from "../output/Quantity.ts"
import * as Style from "../output/Style.ts"
import * as Table from "../output/Table.ts"
import * as MessageLine from "../store/MessageLine.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json, positive } from "./flags.ts"

const print = Effect.fnUntraced(function* (result: MessageStore.GetResult, asJson: boolean) {
  const { maxOffset, messages, minOffset, nextOffset, status } = result
  if (asJson) {
    const content = { status, nextOffset, minOffset, maxOffset, messages: messages.map(MessageLine.toJson) }
    return yield* Console.log(JSON.stringify(content))
  }
  const style = yield* Style.current
  const ending = `the queue has ${minOffset} to ${maxOffset}, go on at ${nextOffset}`
  yield* Lines.print([
    ...(messages.length === 0 ? [] : Table.lines(MessageLine.COLUMNS, messages.map(MessageLine.rowOf), style.faint)),
    `${status}: ${plural(messages.length, "message")}; ${ending}`
  ])
})

export const storeGet = Command.make(
  "get",
  {
    directory: StoreFlags.directory,
    topic: StoreFlags.topic,
    queue: StoreFlags.queue,
    offset: Flag.Int("offset").pipe(Flag.withDescription("Offset of the first message"), Flag.withMetavar("O")),
    max: positive("max").pipe(
      Flag.withDescription("At most so many messages [32]"),
      Flag.withMetavar("N"),
      Flag.withDefault(32)
    ),
    tags: Flag.String("tags").pipe(
      Flag.withDescription("Only messages with these tags: 'A || B'"),
      Flag.withMetavar("TAGS"),
      Flag.optional
    ),
    raw: Flag.Boolean("raw").pipe(
      Flag.withDescription("Compare tags by their hash alone, as a RocketMQ broker does"),
      Flag.withDefault(false)
    ),
    config: StoreFlags.config,
    json
  },
  ({ config, directory, json, max, offset, queue, raw, tags, topic }) =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      const result = yield* store.get({
        topic,
        queueId: queue,
        offset,
        maxCount: max,
        tags: Option.getOrUndefined(tags),
        matchTagText: !raw
      })
      yield* print(result, json)
    }).pipe(Effect.provide(OpenStore.readOnly(directory, config)))
).pipe(
  Command.withDescription(
    "Reads messages of a queue, and says where to go on. Works beside a process that writes. Fewer messages than asked for " +
      "are not the end of the queue: that is the status OFFSET_OVERFLOW_ONE."
  ),
  Command.withShortDescription("Read messages of a queue from an offset on"),
  Command.withExamples([
    { command: "millrace store get trades --topic trades --queue 0 --offset 0 --max 5", description: "The first five" },
    {
      command: "millrace store get trades --topic trades --queue 0 --offset 0 --tags 'AAPL || MSFT' --json",
      description: "Those of two tags, with status and next offset"
    }
  ])
)
