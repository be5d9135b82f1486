/** A line of an import: one put, of one message or of a batch. */
import type * as Message from "@millrace/store/Message"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { badInput, type CommandError } from "../CommandError.ts"

const fields = {
  topic: Schema.String,
  queueId: Schema.optionalKey(Schema.Int),
  /** In base64. */
  body: Schema.optionalKey(Schema.Uint8ArrayFromBase64),
  /** The body as text, in place of `body`. */
  text: Schema.optionalKey(Schema.String),
  keys: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  tags: Schema.optionalKey(Schema.String),
  properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  flag: Schema.optionalKey(Schema.Int),
  sysFlag: Schema.optionalKey(Schema.Int),
  bornTimestamp: Schema.optionalKey(Schema.Int),
  bornHost: Schema.optionalKey(Schema.String),
  storeHost: Schema.optionalKey(Schema.String),
  reconsumeTimes: Schema.optionalKey(Schema.Int),
  preparedTransactionOffset: Schema.optionalKey(Schema.Int)
}

const id = Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Null]))
const Single = Schema.Struct({ id, ...fields })
const Batch = Schema.Struct({ id, batch: Schema.NonEmptyArray(Schema.Struct(fields)) })

export interface Put {
  readonly id: string | number | null
  readonly messages: ReadonlyArray<Message.Message>
  readonly isBatch: boolean
}

type Fields = Omit<typeof Single.Type, "id">

const messageOf = ({ body, text, ...rest }: Fields): Message.Message => {
  if (body !== undefined && text !== undefined) {
    throw new TypeError("body and text are both there: a message has one of them")
  }
  return { ...rest, body: body ?? Buffer.from(text ?? "") }
}

const decodeSingle = Schema.decodeUnknownSync(Single, { onExcessProperty: "error" })
const decodeBatch = Schema.decodeUnknownSync(Batch, { onExcessProperty: "error" })

const putOf = (value: unknown): Put => {
  if (typeof value === "object" && value !== null && "batch" in value) {
    const { batch, id = null } = decodeBatch(value)
    return { id, messages: batch.map(messageOf), isBatch: true }
  }
  const { id = null, ...message } = decodeSingle(value)
  return { id, messages: [messageOf(message)], isBatch: false }
}

const SOURCE = "standard input"

export const parse = (line: Uint8Array, number: number): Effect.Effect<Put, CommandError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(putOf(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line))))
    } catch (error) {
      return badInput(SOURCE, error instanceof Error ? error.message : String(error), number)
    }
  })
