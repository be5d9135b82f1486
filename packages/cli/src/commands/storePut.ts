/** `millrace store put DIR`: one message, or a message a line of standard input. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { badInput } from "../CommandError.ts"
import { byteLines } from "../internal/byteLines.ts"
import * as Lines from "../output/Lines.ts"
import * as PutResult from "../store/PutResult.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { withProgress } from "../store/WithProgress.ts"
import { json } from "./flags.ts"

const BODY_LENGTH_MAX = 4 * 1024 * 1024

/** Properties out of `name=value`. */
const propertiesOf = Effect.fnUntraced(function* (entries: ReadonlyArray<string>) {
  const properties: Record<string, string> = {}
  for (const entry of entries) {
    const separator = entry.indexOf("=")
    if (separator <= 0) {
      return yield* badInput(`--property ${entry}`, "has not the form name=value")
    }
    properties[entry.slice(0, separator)] = entry.slice(separator + 1)
  }
  return properties
})

const textOf = ({ length, position, queueId, queueOffset }: MessageStore.PutResult): string =>
  `stored in queue ${queueId} at offset ${queueOffset}, position ${position}, ${length} bytes`

export const storePut = Command.make(
  "put",
  {
    directory: StoreFlags.directory,
    body: Argument.String("body").pipe(
      Argument.withMetavar("BODY"),
      Argument.withDescription("The message [each line of standard input is one]"),
      Argument.optional
    ),
    topic: StoreFlags.topic,
    queue: StoreFlags.queue.pipe(Flag.withDefault(0)),
    key: Flag.String("key").pipe(
      Flag.withDescription("A key to find the message by; may be repeated"),
      Flag.withMetavar("KEY"),
      Flag.atLeast(0)
    ),
    tag: Flag.String("tag").pipe(Flag.withDescription("The tag"), Flag.withMetavar("TAG"), Flag.optional),
    property: Flag.String("property").pipe(
      Flag.withDescription("A further property; may be repeated"),
      Flag.withMetavar("NAME=VALUE"),
      Flag.atLeast(0)
    ),
    queueType: StoreFlags.queueType,
    flush: StoreFlags.flush,
    config: StoreFlags.config,
    json
  },
  Effect.fnUntraced(function* ({ body, config, directory, flush, json, key, property, queue, queueType, tag, topic }) {
    const settings = yield* StoreFlags.settingsOf(config, flush)
    const properties = yield* propertiesOf(property)
    const common = { topic, queueId: queue, keys: key, tags: Option.getOrUndefined(tag), properties }
    const { stdin } = yield* Stdio.Stdio
    const bodies = Option.match(body, {
      onNone: () => byteLines(stdin, BODY_LENGTH_MAX),
      onSome: (text) => Stream.succeed<Uint8Array>(Buffer.from(text))
    })
    yield* Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      if (Option.isSome(queueType)) {
        yield* store.setQueueType(topic, queueType.value)
      }
      const results = bodies.pipe(
        Stream.mapArrayEffect((together) =>
          Effect.map(
            store.putMany(together.map((bytes) => ({ ...common, body: bytes }))),
            (stored) => stored as unknown as readonly [MessageStore.PutResult, ...Array<MessageStore.PutResult>]
          )
        ),
        Stream.map((result) => (json ? JSON.stringify(PutResult.stored(null, [result], false)) : textOf(result)))
      )
      yield* Lines.printAll(results)
    }).pipe(Effect.provide(MessageStore.layer({ ...settings, directory })), withProgress)
  })
).pipe(
  Command.withDescription(
    "Stores a message, or each line of standard input as one. The store is made when it is not there. It refuses a store " +
      "that another process has open."
  ),
  Command.withShortDescription("Store messages"),
  Command.withExamples([
    {
      command: "millrace store put trades --topic trades --key order-17 --tag AAPL 'ten at 42'",
      description: "A message"
    },
    {
      command: "seq 1000 | millrace store put trades --topic trades --queue 1 --json",
      description: "A thousand of them"
    }
  ])
)
