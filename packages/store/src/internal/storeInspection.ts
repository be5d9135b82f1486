/** The files of a store, opened to look at: read-only, without its lock, with the ends of its queues found. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as QueueFiles from "../engine/QueueFiles.ts"
import * as StoreFiles from "../engine/StoreFiles.ts"
import type { StoreOptions } from "../engine/StoreOptions.ts"
import * as StorePaths from "../engine/StorePaths.ts"
import * as FileSurvey from "../inspect/FileSurvey.ts"
import type { Finding } from "../inspect/Finding.ts"
import * as IndexGeometry from "../index/IndexGeometry.ts"
import { IndexFileView } from "../inspect/IndexWalk.ts"
import * as MendedFiles from "../inspect/MendedFiles.ts"
import * as IndexDescriptor from "../index/IndexDescriptor.ts"
import { type FileSystem, join, type StoreFile } from "../mapped/FileSystem.ts"
import { conclude, type MessageStoreOptions } from "../MessageStoreConfig.ts"
import * as AbortFile from "../recovery/AbortFile.ts"
import { Follower } from "../recovery/Follower.ts"
import type { StoreError } from "../StoreError.ts"
import { makeNodeFileSystem } from "./nodeFileSystem.ts"
import * as storeOpen from "./storeOpen.ts"
import { attempt } from "./storeSteps.ts"

export interface Inspection {
  readonly fileSystem: FileSystem
  readonly options: StoreOptions
  readonly files: StoreFiles.StoreFiles
  /** What is wrong with the files by name and length, and not in `files`: nothing where that was not looked for. */
  readonly faults: FileSurvey.FileFaults
  /** Whether some process has the store open, or had when it ended. */
  readonly isOpen: boolean
  /** Looks for what was written since the last time. */
  readonly follow: () => void
}

export const open = Effect.fnUntraced(function* (
  options: MessageStoreOptions
): Effect.fn.Return<Inspection, StoreError, Scope.Scope> {
  const { writeWithoutMmap } = yield* conclude(options)
  const fileSystem = makeNodeFileSystem({ isPositional: writeWithoutMmap })
  yield* storeOpen.refuseForeign(fileSystem, options.directory, true)
  const concluded = yield* storeOpen.concludeOptions(fileSystem, { ...options, readOnly: true })
  return yield* openFiles(fileSystem, concluded, FileSurvey.NONE)
})

/** As `open`, of a store whose files may be missing or of a wrong length: what can be read of it is shown. */
export const openMended = Effect.fnUntraced(function* (
  options: MessageStoreOptions
): Effect.fn.Return<Inspection, StoreError, Scope.Scope> {
  const { writeWithoutMmap } = yield* conclude(options)
  const fileSystem = makeNodeFileSystem({ isPositional: writeWithoutMmap })
  const concluded = yield* storeOpen.concludeOptions(fileSystem, { ...options, readOnly: true })
  const faults = yield* attempt(() => surveyTwice(fileSystem, concluded))
  yield* storeOpen.refuseForeign(MendedFiles.over(fileSystem, faults), options.directory, true)
  return yield* openFiles(fileSystem, concluded, faults)
})

/** What a writer does while the directories are listed can look like a fault, but not twice. */
const surveyTwice = (fileSystem: FileSystem, options: StoreOptions): FileSurvey.FileFaults => {
  const faults = FileSurvey.survey(fileSystem, options)
  return faults.findings.length === 0 ? faults : FileSurvey.survey(fileSystem, options)
}

const openFiles = Effect.fnUntraced(function* (
  fileSystem: FileSystem,
  concluded: StoreOptions,
  faults: FileSurvey.FileFaults
): Effect.fn.Return<Inspection, StoreError, Scope.Scope> {
  const shown = faults.findings.length === 0 ? fileSystem : MendedFiles.over(fileSystem, faults)
  const files = yield* Effect.acquireRelease(
    attempt(() => StoreFiles.open(shown, concluded, () => "")),
    (opened) => Effect.sync(() => StoreFiles.close(opened))
  )
  const place = { fileSystem: shown, options: concluded, unsynced: files.unsynced }
  const follower = new Follower({
    ...files,
    loadNewQueues: (onLoaded) => QueueFiles.loadAll(place, files.queues, onLoaded),
    onArrival: () => undefined,
    onListed: () => undefined
  })
  const isOpen = yield* attempt(() => AbortFile.exists(shown, concluded.storePathRootDir))
  yield* attempt(() => follower.attach())
  return {
    fileSystem,
    options: concluded,
    files,
    faults,
    isOpen,
    follow: () => void follower.follow(true)
  }
})

/** All files of the index, those too that the store itself would not trust. What is none of its files is a finding. */
export const indexViews = (
  { fileSystem, options }: Inspection,
  onFinding: (finding: Finding) => void
): Effect.Effect<ReadonlyArray<IndexFileView>, StoreError, Scope.Scope> => {
  const directory = StorePaths.index(options.storePathRootDir)
  const opened: Array<StoreFile> = []
  const openAll = attempt(() => {
    const views: Array<IndexFileView> = []
    const entries = (fileSystem.entries(directory) ?? []).filter(({ isDirectory }) => !isDirectory)
    for (const { length, name } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, name)
      if (length < IndexDescriptor.HEADER_LENGTH) {
        onFinding({ _tag: "IndexWrong", file: path, entry: 0, detail: `it has only ${length} bytes` })
        continue
      }
      const file = fileSystem.open(path, length, "index", true)
      opened.push(file)
      const { maxHashSlotNum, maxIndexNum } = options
      const isUsual = length === IndexDescriptor.fileLength(maxHashSlotNum, maxIndexNum)
      const geometry = isUsual ? { slotCount: maxHashSlotNum, entryCount: maxIndexNum } : IndexGeometry.detect(file)
      if (geometry === undefined) {
        onFinding({ _tag: "IndexWrong", file: path, entry: 0, detail: "no number of slots fits its entries" })
      } else {
        views.push(new IndexFileView(file, geometry.slotCount, geometry.entryCount))
      }
    }
    return views
  })
  const closeAll = Effect.sync(() => {
    for (const file of opened) {
      file.close()
    }
  })
  return Effect.acquireRelease(
    Effect.onError(openAll, () => closeAll),
    () => closeAll
  )
}
