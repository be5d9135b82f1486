/** A message as it is shown: a row of a table, or a line of JSON with RocketMQ's names. */
import * as Inspect from "@millrace/store/Inspect"
import type * as Message from "@millrace/store/Message"
import type * as Table from "../output/Table.ts"
import * as Text from "../output/Text.ts"

export const COLUMNS: ReadonlyArray<Table.Column> = [
  { title: "stored" },
  { title: "queue", align: "right" },
  { title: "offset", align: "right" },
  { title: "key" },
  { title: "tag" },
  { title: "body" }
]

export const rowOf = (message: Message.StoredMessage): ReadonlyArray<string> => [
  new Date(message.storeTimestamp).toISOString(),
  String(message.queueId),
  String(message.queueOffset),
  Text.printable(message.keys ?? ""),
  Text.printable(message.tags ?? ""),
  Text.body(message.body)
]

export const toJson = (message: Message.StoredMessage) => Inspect.fieldsOf(message)
