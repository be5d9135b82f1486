/** How values become messages and back: JSON as UTF-8, or Effect's binary form of a schema. Both directions throw. */
import * as SchemaBinary from "effect/encoding/SchemaBinary"
import * as Schema from "effect/Schema"

/** A schema whose codec needs no service. */
export type PlainSchema<A> = Schema.Codec<A, unknown, never, never>

export type MessageFormat = "json" | "binary"

export interface MessageCodec<A> {
  encode(value: A): Uint8Array
  decode(message: Uint8Array): A
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })

const json = <A>(schema: PlainSchema<A>): MessageCodec<A> => {
  const codec = Schema.toCodecJson(schema)
  const encode = Schema.encodeUnknownSync(codec)
  const decode = Schema.decodeUnknownSync(codec)
  return {
    encode: (value) => encoder.encode(JSON.stringify(encode(value))),
    decode: (message) => decode(JSON.parse(decoder.decode(message)))
  }
}

const binary = <A>(schema: PlainSchema<A>): MessageCodec<A> => {
  const codec = SchemaBinary.toCodec(schema)
  const encode = Schema.encodeUnknownSync(codec)
  const decode = Schema.decodeUnknownSync(codec)
  return { encode, decode }
}

export const make = <A>(schema: PlainSchema<A>, format: MessageFormat): MessageCodec<A> =>
  format === "json" ? json(schema) : binary(schema)
