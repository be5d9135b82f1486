/** Reads one file of a store. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Utf8 from "../commitlog/Utf8.ts"
import * as FileDump from "../inspect/FileDump.ts"
import * as FileKind from "../inspect/FileKind.ts"
import * as IndexGeometry from "../index/IndexGeometry.ts"
import { IndexFileView } from "../inspect/IndexWalk.ts"
import * as FileNaming from "../mapped/FileNaming.ts"
import { FileFailure, type FileUse, type StoreFile } from "../mapped/FileSystem.ts"
import { FIELDS_LENGTH, StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import { ForeignFile, StoreError } from "../StoreError.ts"
import { borrowedMessageOf } from "./ownedMessage.ts"
import { makeNodeFileSystem } from "./nodeFileSystem.ts"
import { fieldsOf } from "./storeExport.ts"
import { attempt } from "./storeSteps.ts"

export type DumpLine = FileDump.DumpLine

const LINES_A_STEP = 1024
/** RocketMQ's lengths of files are 32-bit integers. */
const FILE_LENGTH_MAX = 0x7fffffff

const nodeFileSystem = makeNodeFileSystem({ isPositional: false })

export const dump = (path: string): Stream.Stream<DumpLine, StoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const kind = FileKind.of(path)
      if (kind === undefined) {
        return yield* foreign(path, "its name is none that a store gives")
      }
      const length = yield* attempt(() => lengthOf(path))
      const lines = yield* linesOf(path, kind, length)
      return Stream.concat(Stream.succeed<DumpLine>({ kind: "file", file: path, is: kind, length }), inSteps(lines))
    })
  )

const foreign = (path: string, detail: string): Effect.Effect<never, StoreError> =>
  Effect.fail(new StoreError({ reason: new ForeignFile({ path, detail }) }))

const directoryAndName = (path: string): readonly [directory: string, name: string] => {
  const slash = path.lastIndexOf("/")
  return [path.slice(0, slash), path.slice(slash + 1)]
}

const lengthOf = (path: string): number => {
  const [directory, name] = directoryAndName(path)
  const entry = nodeFileSystem.entries(directory)?.find((found) => found.name === name && !found.isDirectory)
  if (entry === undefined) {
    throw new FileFailure({ code: "ENOENT", operation: "open", path, message: "there is no such file" })
  }
  return entry.length
}

const linesOf = Effect.fnUntraced(function* (
  path: string,
  kind: FileKind.FileKind,
  length: number
): Effect.fn.Return<Generator<DumpLine, void>, StoreError, Scope.Scope> {
  if (kind === "json" || kind === "text") {
    return texts(kind, (yield* attempt(() => nodeFileSystem.readBytes(path))) ?? new Uint8Array(0))
  }
  if (length > FILE_LENGTH_MAX) {
    return yield* foreign(path, `it has ${length} bytes, files of a store have ${FILE_LENGTH_MAX} at most`)
  }
  const use: FileUse = kind === "checkpoint" ? "state" : kind === "log" || kind === "index" ? kind : "queue"
  const file = yield* Effect.acquireRelease(
    attempt(() => nodeFileSystem.open(path, length, use, true)),
    (opened) => Effect.sync(() => opened.close())
  )
  return yield* binaryLines(path, kind, file)
})

const binaryLines = (
  path: string,
  kind: Exclude<FileKind.FileKind, "json" | "text">,
  file: StoreFile
): Effect.Effect<Generator<DumpLine, void>, StoreError> => {
  const position = FileNaming.parse(directoryAndName(path)[1])
  switch (kind) {
    case "log":
      return Effect.succeed(FileDump.log(file, position, (record) => fieldsOf(borrowedMessageOf(record))))
    case "queue":
      return Effect.succeed(FileDump.queue(file, position))
    case "batch queue":
      return Effect.succeed(FileDump.batchQueue(file))
    case "extended queue":
      return Effect.succeed(FileDump.extendedQueue(file, position))
    case "checkpoint":
      return file.length < FIELDS_LENGTH
        ? foreign(path, `it has only ${file.length} bytes`)
        : attempt(() => FileDump.checkpoint(new StoreCheckpoint(file)))
    case "index": {
      const geometry = IndexGeometry.detect(file)
      return geometry === undefined
        ? foreign(path, "it has no entries, or no number of slots fits them")
        : Effect.succeed(FileDump.index(new IndexFileView(file, geometry.slotCount, geometry.entryCount)))
    }
  }
}

function* texts(kind: "json" | "text", bytes: Uint8Array): Generator<DumpLine, void> {
  const text = Utf8.decode(bytes, 0, bytes.length)
  yield { kind, text: text.trimEnd() }
}

const inSteps = (lines: Generator<DumpLine, void>): Stream.Stream<DumpLine, StoreError> =>
  Stream.paginate(undefined, () =>
    attempt(() => {
      const step: Array<DumpLine> = []
      while (step.length < LINES_A_STEP) {
        const next = lines.next()
        if (next.done === true) {
          return [step, Option.none<undefined>()] as const
        }
        step.push(next.value)
      }
      return [step, Option.some(undefined)] as const
    })
  )
