/** `millrace store query DIR`: messages by key, by time or by id. */
import type * as Message from "@millrace/store/Message"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { badInput } from "../CommandError.ts"
import * as OpenStore from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import * as Style from "../output/Style.ts"
import * as Table from "../output/Table.ts"
import * as MessageLine from "../store/MessageLine.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json, positive } from "./flags.ts"

const MAX_DEFAULT = 32
/** A host of IPv4 or IPv6 with its port, and a position, in hex. */
const OFFSET_MESSAGE_ID = /^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{56})$/

interface Query {
  readonly topic: Option.Option<string>
  readonly key: Option.Option<string>
  readonly id: Option.Option<string>
  readonly time: Option.Option<number>
  readonly begin: Option.Option<number>
  readonly end: Option.Option<number>
  readonly max: number
}

/** The one of key, id and time that was given. */
const kindOf = (query: Query): "key" | "id" | "time" | undefined => {
  const given = (["key", "id", "time"] as const).filter((kind) => query[kind]._tag === "Some")
  return given.length === 1 ? given[0] : undefined
}

const topicOf = (query: Query, flag: string) =>
  Option.match(query.topic, {
    onNone: () => badInput(`--${flag}`, "needs --topic NAME: keys and times are looked for in one topic"),
    onSome: (topic) => Effect.succeed(topic)
  })

const byKey = Effect.fnUntraced(function* (query: Query, key: string) {
  const store = yield* MessageStore.MessageStore
  const topic = yield* topicOf(query, "key")
  const begin = Option.getOrUndefined(query.begin)
  return yield* store.query({ topic, key, maxCount: query.max, begin, end: Option.getOrUndefined(query.end) })
})

const byId = Effect.fnUntraced(function* (query: Query, id: string) {
  const store = yield* MessageStore.MessageStore
  const byOffset = OFFSET_MESSAGE_ID.test(id) ? yield* store.byOffsetId(id) : undefined
  if (byOffset !== undefined && byOffset.offsetMsgId === id.toUpperCase()) {
    return [byOffset]
  }
  const topic = yield* topicOf(query, "id")
  const found = yield* store.byUniqueKey(topic, id)
  return found === undefined ? [] : [found]
})

/** The first messages of all queues together that were stored at or after a time. */
const fromTime = Effect.fnUntraced(function* (query: Query, timeMs: number) {
  const store = yield* MessageStore.MessageStore
  const topic = yield* topicOf(query, "time")
  const queues = (yield* store.topic(topic))?.queues ?? []
  const found: Array<Message.StoredMessage> = []
  for (const { queueId } of queues) {
    const offset = yield* store.offsetByTime({ topic, queueId, timeMs })
    if (offset !== undefined) {
      const { messages } = yield* store.get({ topic, queueId, offset, maxCount: query.max })
      found.push(...messages)
    }
  }
  return found.toSorted((a, b) => a.position - b.position).slice(0, query.max)
})

const find = (query: Query) => {
  switch (kindOf(query)) {
    case "key":
      return byKey(query, Option.getOrThrow(query.key))
    case "id":
      return byId(query, Option.getOrThrow(query.id))
    case "time":
      return fromTime(query, Option.getOrThrow(query.time))
    case undefined:
      return badInput("millrace store query", "needs one of --key, --id and --time")
  }
}

/** What the index itself answers. */
const lookup = Effect.fnUntraced(function* (query: Query, asJson: boolean) {
  if (kindOf(query) !== "key") {
    return yield* badInput("--raw", "is the index's own answer to a key: it needs --key, without --id and --time")
  }
  const store = yield* MessageStore.MessageStore
  const positions = yield* store.lookup({
    topic: yield* topicOf(query, "key"),
    key: Option.getOrThrow(query.key),
    maxCount: query.max,
    begin: Option.getOrUndefined(query.begin),
    end: Option.getOrUndefined(query.end)
  })
  yield* Lines.print(
    positions.map((physicalOffset) => (asJson ? JSON.stringify({ physicalOffset }) : String(physicalOffset)))
  )
})

const print = Effect.fnUntraced(function* (messages: ReadonlyArray<Message.StoredMessage>, asJson: boolean) {
  if (asJson) {
    return yield* Lines.print(messages.map((message) => JSON.stringify(MessageLine.toJson(message))))
  }
  const style = yield* Style.current
  yield* Lines.print(
    messages.length === 0
      ? ["No message found."]
      : Table.lines(MessageLine.COLUMNS, messages.map(MessageLine.rowOf), style.faint)
  )
})

export const storeQuery = Command.make(
  "query",
  {
    directory: StoreFlags.directory,
    topic: Flag.optional(StoreFlags.topic),
    key: Flag.String("key").pipe(
      Flag.withDescription("Messages with this key, the newest ones, in the order of the log"),
      Flag.withMetavar("KEY"),
      Flag.optional
    ),
    id: Flag.String("id").pipe(
      Flag.withDescription("The message with this offsetMsgId, or with --topic this UNIQ_KEY"),
      Flag.withMetavar("ID"),
      Flag.optional
    ),
    time: StoreFlags.time("time", "Messages stored at or after this time").pipe(Flag.optional),
    begin: StoreFlags.time("begin", "With --key: only messages stored from this time on").pipe(Flag.optional),
    end: StoreFlags.time("end", "With --key: only messages stored up to this time").pipe(Flag.optional),
    max: positive("max").pipe(
      Flag.withDescription(`At most so many messages [${MAX_DEFAULT}]`),
      Flag.withMetavar("N"),
      Flag.withDefault(MAX_DEFAULT)
    ),
    raw: Flag.Boolean("raw").pipe(
      Flag.withDescription("The index's own answer: positions, those of other keys with the same hash among them"),
      Flag.withDefault(false)
    ),
    config: StoreFlags.config,
    json
  },
  ({ config, directory, json, raw, ...query }) =>
    (raw ? lookup(query, json) : Effect.flatMap(find(query), (messages) => print(messages, json))).pipe(
      Effect.provide(OpenStore.readOnly(directory, config))
    )
).pipe(
  Command.withDescription("Finds messages by key, time or id. Works beside a process that writes."),
  Command.withShortDescription("Find messages by key, time or id"),
  Command.withExamples([
    { command: "millrace store query trades --topic trades --key order-17", description: "All messages with a key" },
    {
      command: "millrace store query trades --topic trades --time 2026-11-30T09:00:00Z --max 3 --json",
      description: "The first three from a time on"
    }
  ])
)
