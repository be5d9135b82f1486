/**
 * The three formats that a data set may have, each read by the library's own streaming decoder.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Csv from "effect/encoding/Csv"
import * as JsonArray from "effect/encoding/JsonArray"
import * as Ndjson from "effect/encoding/Ndjson"

/** One record of a data set, with whatever columns it has. */
export type DataRecord = typeof Schema.JsonObject.Type

export type DataFormat = "json" | "ndjson" | "csv"

const EXTENSIONS: ReadonlyMap<string, DataFormat> = new Map([
  [".json", "json"],
  [".ndjson", "ndjson"],
  [".jsonl", "ndjson"],
  [".csv", "csv"]
])

/** The format that a file's name promises. */
export const fromExtension = (extension: string): DataFormat | undefined => EXTENSIONS.get(extension.toLowerCase())

/** A file may have at most this many UTF-16 code units in one record. */
export const RECORD_LENGTH_MAX = 16 * 1024 * 1024

/** What is wrong with the bytes of a data set; `line` where the decoder itself counts lines. */
export class Malformed {
  readonly _tag = "Malformed"
  readonly problem: string
  readonly line: number | undefined

  constructor(problem: string, line?: number) {
    this.problem = problem
    this.line = line
  }
}

type Decoder = <E>() => Channel.Channel<
  NonEmptyReadonlyArray<unknown>,
  E | Malformed,
  unknown,
  NonEmptyReadonlyArray<string>,
  E
>

// The engine's message quotes the text, which may hold line breaks.
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ")

const textOf = (cause: unknown, fallback: string): string =>
  inOneLine(cause instanceof Error ? cause.message : fallback)

const jsonProblem = (error: JsonArray.JsonArrayError): string =>
  error.kind === "Pointer" ? "the file must be one JSON array of objects" : textOf(error.cause, error.message)

const decoders: Record<DataFormat, Decoder> = {
  json: <E>() =>
    JsonArray.decodeString<E>({ maxElementSize: RECORD_LENGTH_MAX }).pipe(
      Channel.mapError((error) => (JsonArray.isJsonArrayError(error) ? new Malformed(jsonProblem(error)) : error))
    ),
  ndjson: <E>() =>
    Ndjson.decodeString<E>({ ignoreEmptyLines: true }).pipe(
      Channel.mapError((error) =>
        error instanceof Ndjson.NdjsonError ? new Malformed(textOf(error.cause, error.message)) : error
      )
    ),
  csv: <E>() =>
    Csv.decodeString<E>({ headers: true, ignoreEmptyLines: true, maxRecordSize: RECORD_LENGTH_MAX }).pipe(
      Channel.mapError((error) => (Csv.isCsvError(error) ? new Malformed(error.message, error.line) : error))
    )
}

const decodeUtf8 = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<string, E | Malformed, R> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    const decode = (chunk?: Uint8Array) =>
      Result.try({
        try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
        catch: () => new Malformed("not UTF-8 text")
      })
    return bytes.pipe(
      Stream.mapEffect((chunk) => Effect.fromResult(decode(chunk))),
      Stream.concat(Stream.unwrap(Effect.sync(() => Stream.fromEffect(Effect.fromResult(decode())))))
    )
  })

const requireObjects = (values: NonEmptyReadonlyArray<unknown>) => {
  const wrong = values.find((value) => !Predicate.isObject(value))
  return wrong === undefined
    ? Effect.succeed(values as NonEmptyReadonlyArray<DataRecord>)
    : Effect.fail(new Malformed(`a record must be an object with columns, this one is ${JSON.stringify(wrong)}`))
}

/** Decodes the bytes of a file into its records, holding no more than one chunk and one record. */
export const records =
  (format: DataFormat) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<DataRecord, E | Malformed, R> =>
    decodeUtf8(bytes).pipe(Stream.pipeThroughChannelOrFail(decoders[format]()), Stream.mapArrayEffect(requireObjects))
