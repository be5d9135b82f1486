/**
 * The records that the demo sends: the flights that come with `vega-datasets`, or a file of the user's.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { unreadable } from "../internal/unreadable.ts"
import { badInput, type CommandError } from "../CommandError.ts"
import * as DataFormat from "./DataFormat.ts"

/** A file of records: how its messages call it, where it is, how it is read, and how often it is sent. */
export interface DataSet {
  readonly label: string
  readonly path: string
  readonly format: DataFormat.DataFormat
  readonly repeat: number
  /** Length of the file in bytes. */
  readonly length: number
}

const FLIGHTS = "flights-20k.json"

/** 20,000 real flights. The package exports nothing but its root, so the file is found from there. */
export const flights = Effect.fnUntraced(function* (repeat: number) {
  const path = yield* Path.Path
  const entry = yield* Effect.orDie(path.fromFileUrl(new URL(import.meta.resolve("vega-datasets"))))
  const dataSet = yield* fromFile(path.join(path.dirname(entry), "..", "data", FLIGHTS), repeat)
  return dataSet
})

/** The file at `file`, if its name says how to read it and it can be read as often as needed. */
export const fromFile = Effect.fnUntraced(function* (file: string, repeat: number) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.mapError(fs.stat(file), unreadable(file))
  if (info.type === "Directory") {
    return yield* badInput(file, "is a directory, a file of records is needed")
  }
  if (info.type !== "File") {
    return yield* badInput(file, "is not a regular file; the demo reads its file more than once")
  }
  const format = DataFormat.fromExtension(path.extname(file))
  if (format === undefined) {
    return yield* badInput(file, "the name must end in .json (an array of objects), .ndjson, .jsonl or .csv")
  }
  if (info.size === BigInt(0)) {
    return yield* badInput(file, "is empty, a record is needed")
  }
  const label = path.basename(file)
  return { label, path: path.resolve(file), format, repeat, length: Number(info.size) } satisfies DataSet
})

const READ_LENGTH = 256 * 1024

/** The records of the file, once. Reading holds one chunk and one record; `onRead` is told how many bytes were read. */
export const recordsOnce = (
  dataSet: DataSet,
  onRead: (bytes: number) => Effect.Effect<void> = () => Effect.void
): Stream.Stream<DataFormat.DataRecord, CommandError, FileSystem.FileSystem> =>
  readBytes(dataSet).pipe(
    Stream.tap((chunk) => onRead(chunk.length)),
    DataFormat.records(dataSet.format),
    Stream.catchTag("Malformed", (malformed) =>
      Stream.fromEffect(Effect.flatMap(locate(dataSet, malformed), Effect.fail))
    )
  )

/** All that the demo sends: the records of the file as often as it is repeated. */
export const records = (dataSet: DataSet) => Stream.flatMap(Stream.range(1, dataSet.repeat), () => recordsOnce(dataSet))

const readBytes = (dataSet: DataSet): Stream.Stream<Uint8Array, CommandError, FileSystem.FileSystem> =>
  FileSystem.FileSystem.pipe(
    Effect.map((fs) => fs.stream(dataSet.path, { chunkSize: READ_LENGTH })),
    Stream.unwrap,
    Stream.mapError(unreadable(dataSet.path))
  )

/**
 * Says in which line the file is malformed. Only CSV's decoder counts lines, and counting them in every read would
 * cost each good file a second pass over its bytes: so a bad file is read again, line by line, up to the bad one.
 */
const locate = Effect.fnUntraced(function* (dataSet: DataSet, malformed: DataFormat.Malformed) {
  if (malformed.line !== undefined) {
    return badInput(dataSet.path, malformed.problem, malformed.line)
  }
  let line = 1
  let ended = false
  const lineByLine = readBytes(dataSet).pipe(
    Stream.mapArray(cutAtLines),
    Stream.rechunk(1),
    Stream.map((piece) => {
      if (ended) {
        line++
      }
      ended = piece[piece.length - 1] === LINE_FEED
      return piece
    })
  )
  yield* Stream.runDrain(DataFormat.records(dataSet.format)(lineByLine)).pipe(
    Effect.catchTag("Malformed", () => Effect.void)
  )
  return badInput(dataSet.path, malformed.problem, line)
})

const LINE_FEED = 0x0a

const cutAtLines = (chunks: ReadonlyArray<Uint8Array>): [Uint8Array, ...Array<Uint8Array>] => {
  const pieces: Array<Uint8Array> = []
  for (const chunk of chunks) {
    let start = 0
    while (start < chunk.length) {
      const end = chunk.indexOf(LINE_FEED, start) + 1 || chunk.length
      pieces.push(chunk.subarray(start, end))
      start = end
    }
  }
  return pieces as [Uint8Array, ...Array<Uint8Array>]
}
