/** Opens a store: lock, files, recovery. What was opened is closed again when a later step fails. */
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { type FileLock, tryLock } from "@millrace/core/kernel/native/FileLock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type EngineExtensions, type EngineListener, StoreEngine } from "../engine/StoreEngine.ts"
import * as StoreFiles from "../engine/StoreFiles.ts"
import type { FoundLengths, StoreOptions } from "../engine/StoreOptions.ts"
import * as StorePaths from "../engine/StorePaths.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import * as IndexGeometry from "../index/IndexGeometry.ts"
import * as FileLength from "../mapped/FileLength.ts"
import * as FileNaming from "../mapped/FileNaming.ts"
import { type FileSystem, join } from "../mapped/FileSystem.ts"
import { conclude, type MessageStoreOptions } from "../MessageStoreConfig.ts"
import * as AbortFile from "../recovery/AbortFile.ts"
import type { RecoveryReport } from "../recovery/Recovery.ts"
import { Locked, NotAStore, StoreError } from "../StoreError.ts"
import { localTime } from "./localTime.ts"
import { toFileFailure } from "./fileFailure.ts"
import { attempt, drive } from "./storeSteps.ts"

export { attempt }

/** Refuses a directory that holds something else, before anything in it is touched. */
export const refuseForeign = (
  fileSystem: FileSystem,
  directory: string,
  readOnly: boolean
): Effect.Effect<void, StoreError> =>
  Effect.flatMap(
    attempt(() => StorePaths.kindOf(fileSystem, directory)),
    (kind) => {
      if (kind._tag === "Store" || (kind._tag === "Empty" && !readOnly)) {
        return Effect.void
      }
      const found = kind._tag === "Empty" ? "nothing" : kind.found
      return Effect.fail(new StoreError({ reason: new NotAStore({ directory, found }) }))
    }
  )

const LOCK_RANGE = { offset: 0, length: 1 }
const LOCK_TEXT = "lock"

/** Holds the lock of a store until the scope closes. RocketMQ's own lock of the same file excludes it, and the reverse. */
export const acquireLock = (
  fileSystem: FileSystem,
  directory: string
): Effect.Effect<FileLock, StoreError, Scope.Scope> => {
  const path = StorePaths.lock(directory)
  const take = attempt(() => {
    fileSystem.makeDirectory(directory)
    let lock: FileLock | undefined
    try {
      lock = tryLock(path, LOCK_RANGE)
    } catch (error) {
      throw toFileFailure(error, "lock", path)
    }
    if (lock === undefined) {
      const pid = AbortFile.pidOf(fileSystem, directory)
      throw new StoreError({ reason: new Locked({ directory, pid }) })
    }
    return lock
  })
  return Effect.acquireRelease(take, (lock) => Effect.sync(() => lock.release()))
}

export const lockText: Uint8Array = Utf8.encode(LOCK_TEXT)

/** Lengths of the files that are there: a store is opened with the lengths it was made with. */
const detectLengths = (fileSystem: FileSystem, options: MessageStoreOptions): FoundLengths => {
  const root = options.directory
  const logs = options.storePathCommitLog ?? [StorePaths.commitLog(root)]
  return {
    commitLog: FileLength.of(logs.flatMap((directory) => placedFiles(fileSystem, directory))),
    consumeQueue: queueLength(fileSystem, StorePaths.consumeQueues(root)),
    batchConsumeQueue: queueLength(fileSystem, StorePaths.batchConsumeQueues(root)),
    consumeQueueExt: queueLength(fileSystem, StorePaths.consumeQueueExts(root))
  }
}

/** Files of queues that are asked for their length: of ten thousand queues not all. */
const QUEUE_FILES_ASKED = 16

const placedFiles = (fileSystem: FileSystem, directory: string) =>
  (fileSystem.entries(directory) ?? [])
    .filter(({ isDirectory, name }) => !isDirectory && FileNaming.parse(name) >= 0)
    .map(({ length, name }) => ({ length, position: FileNaming.parse(name) }))

const queueLength = (fileSystem: FileSystem, root: string): number | undefined => {
  const files: Array<ReturnType<typeof placedFiles>[number]> = []
  for (const topic of fileSystem.entries(root) ?? []) {
    for (const queue of fileSystem.entries(join(root, topic.name)) ?? []) {
      if (queue.isDirectory && files.length < QUEUE_FILES_ASKED) {
        files.push(...placedFiles(fileSystem, join(join(root, topic.name), queue.name)))
      }
    }
    if (files.length >= QUEUE_FILES_ASKED) {
      break
    }
  }
  return FileLength.of(files)
}

/** What the newest index file that has entries was made with. */
const detectIndex = (fileSystem: FileSystem, root: string): IndexGeometry.Geometry | undefined => {
  const directory = StorePaths.index(root)
  const entries = (fileSystem.entries(directory) ?? []).filter(({ isDirectory, length }) => !isDirectory && length > 0)
  for (const { length, name } of entries.toSorted((a, b) => (a.name < b.name ? 1 : -1))) {
    const file = fileSystem.open(join(directory, name), length, "index", true)
    try {
      const geometry = IndexGeometry.detect(file)
      if (geometry !== undefined) {
        return geometry
      }
    } finally {
      file.close()
    }
  }
  return undefined
}

export interface OpenedEngine {
  readonly engine: StoreEngine
  readonly recovery: RecoveryReport
}

/** Opens the files and recovers, in slices that let other fibers run. Closes the files when that fails. */
export const openEngine = (
  fileSystem: FileSystem,
  options: StoreOptions,
  clock: Clock,
  machineIdentity: string,
  listener: EngineListener,
  extensions: EngineExtensions = {}
): Effect.Effect<OpenedEngine, StoreError> =>
  Effect.gen(function* () {
    const time = localTime(clock)
    const files = yield* attempt(() => StoreFiles.open(fileSystem, options, () => time.stamp()))
    const engine = yield* attempt(
      () => new StoreEngine(fileSystem, options, files, machineIdentity, time, listener, extensions)
    ).pipe(Effect.onError(() => Effect.sync(() => StoreFiles.close(files))))
    const recovery = yield* runRecovery(engine).pipe(Effect.onError(() => Effect.sync(() => engine.closeFiles())))
    yield* attempt(() => engine.start(clock.nanoTime(), process.pid)).pipe(
      Effect.onError(() => Effect.sync(() => engine.closeFiles()))
    )
    return { engine, recovery }
  })

const runRecovery = (engine: StoreEngine): Effect.Effect<RecoveryReport, StoreError> =>
  drive(engine.recover(process.pid), (done) => ({
    task: "recovery",
    noun: "bytes",
    done,
    total: engine.commitLog.maxOffset
  }))

export const concludeOptions = (
  fileSystem: FileSystem,
  options: MessageStoreOptions
): Effect.Effect<StoreOptions, StoreError> =>
  Effect.flatMap(
    attempt(() => ({ ...detectLengths(fileSystem, options), index: detectIndex(fileSystem, options.directory) })),
    ({ index, ...found }) =>
      conclude(
        {
          ...options,
          maxHashSlotNum: options.maxHashSlotNum ?? index?.slotCount,
          maxIndexNum: options.maxIndexNum ?? index?.entryCount
        },
        found
      )
  )
