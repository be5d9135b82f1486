/**
 * How values of a topic become bodies of messages and back.
 *
 * @since 0.1.0
 */
import * as SchemaBinary from "effect/encoding/SchemaBinary"
import * as Schema from "effect/Schema"

/**
 * A codec: both directions are synchronous, and throw for what they cannot take.
 *
 * @category models
 * @since 0.1.0
 */
export interface Codec<A> {
  encode(value: A): Uint8Array
  decode(body: Uint8Array): A
}

/**
 * A schema whose codec needs no service.
 *
 * @category models
 * @since 0.1.0
 */
export type PlainSchema<A> = Schema.Codec<A, unknown, never, never>

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })

/**
 * JSON as UTF-8: what a topic uses by default. The schema decides how dates, big integers and the like are written.
 *
 * @category constructors
 * @since 0.1.0
 */
export const json = <A>(schema: PlainSchema<A>): Codec<A> => {
  const codec = Schema.toCodecJson(schema)
  const encode = Schema.encodeUnknownSync(codec)
  const decode = Schema.decodeUnknownSync(codec)
  return {
    encode: (value) => encoder.encode(JSON.stringify(encode(value))),
    decode: (body) => decode(JSON.parse(decoder.decode(body)))
  }
}

/**
 * Effect's binary form of a schema: smaller and faster than JSON, readable only with the schema.
 *
 * @category constructors
 * @since 0.1.0
 */
export const binary = <A>(schema: PlainSchema<A>): Codec<A> => {
  const codec = SchemaBinary.toCodec(schema)
  const encode = Schema.encodeUnknownSync(codec)
  const decode = Schema.decodeUnknownSync(codec)
  return { encode, decode }
}

/**
 * Bodies as they are, for a topic of bytes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const bytes = (): Codec<Uint8Array> => ({ encode: (value) => value, decode: (body) => body })
