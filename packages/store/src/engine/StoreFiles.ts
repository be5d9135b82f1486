/** The files that a store consists of, opened together: all of them or none. */
import { CommitLog } from "../commitlog/CommitLog.ts"
import * as HostAddress from "../commitlog/HostAddress.ts"
import { RecordEncoder } from "../commitlog/RecordEncoder.ts"
import { TopicConfigs } from "../config/TopicConfig.ts"
import { QueueTable } from "../consumequeue/QueueTable.ts"
import { IndexService } from "../index/IndexService.ts"
import type { FileSystem } from "../mapped/FileSystem.ts"
import { MemoryFileSystem } from "../mapped/MemoryFileSystem.ts"
import { MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import { TransientStorePool } from "../mapped/TransientStorePool.ts"
import { UnsyncedNames } from "../mapped/UnsyncedNames.ts"
import { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import * as UnfinishedWrite from "../recovery/UnfinishedWrite.ts"
import * as QueueFiles from "./QueueFiles.ts"
import type { StoreOptions } from "./StoreOptions.ts"
import * as StorePaths from "./StorePaths.ts"

export interface StoreFiles {
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly checkpoint: StoreCheckpoint
  readonly index: IndexService
  /** Names of queues and their files that are synced in the background. */
  readonly unsynced: UnsyncedNames
}

/** Opens the files of a store, or makes those of a new one. Throws `FileFailure` and `ForeignFile`. */
export const open = (fileSystem: FileSystem, options: StoreOptions, indexName: () => string): StoreFiles => {
  const root = options.storePathRootDir
  if (!options.readOnly) {
    for (const directory of [...options.storePathCommitLog, StorePaths.consumeQueues(root), StorePaths.config(root)]) {
      fileSystem.makeDirectory(directory)
    }
  }
  const log = logFiles(fileSystem, options)
  const unsynced = new UnsyncedNames()
  const place: QueueFiles.QueuePlace = { fileSystem, options, unsynced }
  const configs = new TopicConfigs(fileSystem, root)
  const queues = new QueueTable(
    (topic, queueId) => QueueFiles.open(place, topic, queueId),
    (topic) => configs.get(topic)?.queueType === "BatchCQ"
  )
  try {
    log.load()
    QueueFiles.loadAll(place, queues, () => undefined)
    const hasCheckpoint = (fileSystem.entries(root) ?? []).some((entry) => entry.name === "checkpoint")
    const path = StorePaths.checkpoint(root)
    // Who only reads does not need a checkpoint, and must not make one.
    const isAbsent = options.readOnly && !hasCheckpoint
    const checkpoint = StoreCheckpoint.open(
      isAbsent ? new MemoryFileSystem((run) => run()) : fileSystem,
      path,
      hasCheckpoint,
      options.readOnly
    )
    const index = indexOf(fileSystem, options, indexName)
    return {
      commitLog: new CommitLog(log, encoderOf(options), UnfinishedWrite.noteOf(fileSystem, root)),
      queues,
      checkpoint,
      index,
      unsynced
    }
  } catch (error) {
    log.close()
    closeQueues(queues)
    throw error
  }
}

export const close = (files: StoreFiles): void => {
  files.commitLog.files.close()
  closeQueues(files.queues)
  files.checkpoint.close()
  files.index.close()
}

const closeQueues = (queues: QueueTable): void => {
  for (const files of queues.files()) {
    files.close()
  }
}

const logFiles = (fileSystem: FileSystem, options: StoreOptions): MappedFileQueue =>
  new MappedFileQueue({
    fileSystem,
    directories: options.storePathCommitLog,
    fileLength: options.mappedFileSizeCommitLog,
    use: "log",
    reserveStep: 0,
    readOnly: options.readOnly,
    isLengthGuessed: options.guessed?.has("mappedFileSizeCommitLog"),
    pool: poolOf(options)
  })

const poolOf = (options: StoreOptions): TransientStorePool | undefined => {
  const { fastFailIfNoBufferInStorePool, mappedFileSizeCommitLog, transientStorePoolEnable, transientStorePoolSize } =
    options
  return transientStorePoolEnable && !options.readOnly
    ? new TransientStorePool(transientStorePoolSize, mappedFileSizeCommitLog, fastFailIfNoBufferInStorePool)
    : undefined
}

const indexOf = (fileSystem: FileSystem, options: StoreOptions, nameNow: () => string): IndexService =>
  new IndexService({
    fileSystem,
    directory: StorePaths.index(options.storePathRootDir),
    slotCount: options.maxHashSlotNum,
    entryCount: options.maxIndexNum,
    indexTags: options.indexTags,
    readOnly: options.readOnly,
    isGeometryGuessed: isGeometryGuessed(options),
    nameNow
  })

const isGeometryGuessed = ({ guessed }: StoreOptions): boolean =>
  guessed?.has("maxHashSlotNum") === true && guessed.has("maxIndexNum")

const encoderOf = (options: StoreOptions): RecordEncoder => {
  const host = HostAddress.parse(options.storeHost)!
  return new RecordEncoder({
    appendCrcProperty: options.enabledAppendPropCRC,
    defaultBornHost: host,
    defaultStoreHost: host
  })
}

/** Brings everything that is written to the device, and waits for it. */
export const flush = (files: MappedFileQueue): void => {
  for (let file = files.fileToFlush(0); file !== undefined; file = files.fileToFlush(0)) {
    const from = file.flushedPosition
    const to = file.wrotePosition
    file.file.sync(from, to - from)
    files.onFlushed(file, to)
  }
}
