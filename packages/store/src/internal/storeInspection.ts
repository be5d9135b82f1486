/** The files of a store, opened to look at: read-only, without its lock, with the ends of its queues found. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as QueueFiles from "../engine/QueueFiles.ts"
import * as StoreFiles from "../engine/StoreFiles.ts"
import type { StoreOptions } from "../engine/StoreOptions.ts"
import * as StorePaths from "../engine/StorePaths.ts"
import type { Finding } from "../inspect/Finding.ts"
import * as IndexGeometry from "../inspect/IndexGeometry.ts"
import { IndexFileView } from "../inspect/IndexWalk.ts"
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
  /** Whether some process has the store open, or had when it ended. */
  readonly isOpen: boolean
  /** Looks for what was written since the last time. */
  readonly follow: () => void
}

export const open = Effect.fnUntraced(function* (
  options: MessageStoreOptions
): Effect.fn.Return<Inspection, StoreError, Scope.Scope> {
  const { directory } = options
  const { writeWithoutMmap } = yield* conclude(options)
  const fileSystem = makeNodeFileSystem({ isPositional: writeWithoutMmap })
  yield* storeOpen.refuseForeign(fileSystem, directory, true)
  const concluded = yield* storeOpen.concludeOptions(fileSystem, { ...options, readOnly: true })
  const files = yield* Effect.acquireRelease(
    attempt(() => StoreFiles.open(fileSystem, concluded, () => "")),
    (opened) => Effect.sync(() => StoreFiles.close(opened))
  )
  const place = { fileSystem, options: concluded, unsynced: files.unsynced }
  const follower = new Follower({
    ...files,
    loadNewQueues: (onLoaded) => QueueFiles.loadAll(place, files.queues, onLoaded),
    onArrival: () => undefined,
    onListed: () => undefined
  })
  const isOpen = yield* attempt(() => AbortFile.exists(fileSystem, directory))
  yield* attempt(() => follower.attach())
  return {
    fileSystem,
    options: concluded,
    files,
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
