/**
 * The files of queues on their file system: `consumequeue/<topic>/<queue id>/<position>`, or `batchconsumequeue/…`; those
 * of an extended queue are `consumequeue_ext/…`.
 */
import { BatchConsumeQueue } from "../consumequeue/BatchConsumeQueue.ts"
import * as BatchEntryDescriptor from "../consumequeue/BatchEntryDescriptor.ts"
import { ConsumeQueue } from "../consumequeue/ConsumeQueue.ts"
import { ConsumeQueueExt } from "../consumequeue/ConsumeQueueExt.ts"
import * as EntryDescriptor from "../consumequeue/EntryDescriptor.ts"
import type { QueueState, QueueTable, TopicQueues } from "../consumequeue/QueueTable.ts"
import { type FileSystem, join } from "../mapped/FileSystem.ts"
import { ForeignFile, MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import type { UnsyncedNames } from "../mapped/UnsyncedNames.ts"
import type { SizeName, StoreOptions } from "./StoreOptions.ts"
import * as StorePaths from "./StorePaths.ts"

/** Entries get disk blocks in steps of this many bytes: 3,276 messages a step. */
const RESERVE_STEP = 64 * 1024

/** What the queues of all topics lie in and are made with. */
export interface QueuePlace {
  readonly fileSystem: FileSystem
  readonly options: StoreOptions
  readonly unsynced: UnsyncedNames
}

const rootOf = ({ options: { storePathRootDir } }: QueuePlace, isBatch: boolean): string =>
  isBatch ? StorePaths.batchConsumeQueues(storePathRootDir) : StorePaths.consumeQueues(storePathRootDir)

const queueFiles = (
  { fileSystem, options, unsynced }: QueuePlace,
  directory: string,
  fileLength: number,
  size: SizeName
): MappedFileQueue =>
  new MappedFileQueue({
    fileSystem,
    directories: [directory],
    fileLength,
    use: "queue",
    reserveStep: Math.min(RESERVE_STEP, fileLength),
    readOnly: options.readOnly,
    isLengthGuessed: options.guessed?.has(size),
    unsynced
  })

const queueFilesOf = (place: QueuePlace, directory: string, isBatch: boolean): MappedFileQueue => {
  const size = isBatch ? "mapperFileSizeBatchConsumeQueue" : "mappedFileSizeConsumeQueue"
  const entryLength = isBatch ? BatchEntryDescriptor.LENGTH : EntryDescriptor.LENGTH
  return queueFiles(place, directory, Math.ceil(place.options[size] / entryLength) * entryLength, size)
}

const queueOf = (place: QueuePlace, topic: string, queueId: number, files: MappedFileQueue, isBatch: boolean) => {
  if (isBatch) {
    return new BatchConsumeQueue(topic, queueId, files)
  }
  try {
    return new ConsumeQueue(topic, queueId, files, extOf(place, topic, queueId))
  } catch (error) {
    files.close()
    throw error
  }
}

/** The extended queue of a queue, with the files that it has. Throws `FileFailure` and `ForeignFile`. */
const extOf = (place: QueuePlace, topic: string, queueId: number): ConsumeQueueExt | undefined => {
  const { enableConsumeQueueExt, mappedFileSizeConsumeQueueExt, readOnly, storePathRootDir } = place.options
  if (!enableConsumeQueueExt && !readOnly) {
    return undefined
  }
  const root = StorePaths.consumeQueueExts(storePathRootDir)
  const directory = join(join(root, topic), String(queueId))
  const files = queueFiles(place, directory, mappedFileSizeConsumeQueueExt, "mappedFileSizeConsumeQueueExt")
  if (!readOnly) {
    makeQueueDirectory(place, root, topic, directory)
    // Some other program may have left the store without this root.
    place.unsynced.add(storePathRootDir)
    files.load()
  }
  return new ConsumeQueueExt(files, readOnly)
}

const makeQueueDirectory = ({ fileSystem, unsynced }: QueuePlace, root: string, topic: string, directory: string) => {
  fileSystem.makeDirectory(directory, true)
  unsynced.add(root)
  unsynced.add(join(root, topic))
}

/** A queue that is new. Its directory is made here, its first file with its first entry. */
export const open = (place: QueuePlace, { isBatch, name }: TopicQueues, queueId: number): ConsumeQueue => {
  const root = rootOf(place, isBatch)
  const directory = join(join(root, name), String(queueId))
  makeQueueDirectory(place, root, name, directory)
  if (isBatch) {
    // A store is made with the other root only.
    place.unsynced.add(place.options.storePathRootDir)
  }
  const files = queueFilesOf(place, directory, isBatch)
  files.onWriting()
  const queue = queueOf(place, name, queueId, files, isBatch)
  // A queue that was here before has left them, and its entries are gone.
  queue.ext?.restart(-1)
  queue.ext?.files.onWriting()
  return queue
}

/** Told of a queue that was opened. Its files count as written to their ends. */
export type OnLoaded = (state: QueueState) => void

/** Opens all queues that are there and not open yet. Throws `FileFailure` and `ForeignFile`. */
export const loadAll = (place: QueuePlace, table: QueueTable, onLoaded: OnLoaded): void => {
  for (const isBatch of [true, false]) {
    for (const topic of place.fileSystem.entries(rootOf(place, isBatch)) ?? []) {
      if (topic.isDirectory) {
        loadTopic(place, table, topic.name, isBatch, onLoaded)
      }
    }
  }
}

const loadTopic = (place: QueuePlace, table: QueueTable, name: string, isBatch: boolean, onLoaded: OnLoaded): void => {
  const directory = join(rootOf(place, isBatch), name)
  for (const entry of place.fileSystem.entries(directory) ?? []) {
    const path = join(directory, entry.name)
    if (!entry.isDirectory || !/^\d{1,10}$/.test(entry.name)) {
      throw new ForeignFile(path, "a topic holds only directories named by queue id")
    }
    const queueId = Number(entry.name)
    if (table.isBatch(name) === isBatch && table.find(name, queueId) !== undefined) {
      continue
    }
    const files = queueFilesOf(place, path, isBatch)
    files.load()
    if (hasType(table, name, isBatch, files, path)) {
      onLoaded(table.add(table.topic(name), queueOf(place, name, queueId, files, isBatch)))
    }
  }
}

/** Whether a directory holds a queue of its topic: one that nothing was written to may be of the other type. */
const hasType = (table: QueueTable, name: string, isBatch: boolean, files: MappedFileQueue, path: string): boolean => {
  if (table.isBatch(name) === isBatch) {
    return true
  }
  if (files.files.length === 0) {
    return false
  }
  if (!isBatch || (table.topics.get(name)?.queues.size ?? 0) > 0) {
    files.close()
    const type = isBatch ? "plain" : "batch"
    throw new ForeignFile(path, `the topic has ${type} consume queues, by its other queues or config/topics.json`)
  }
  // What was written is the word, where nobody has said anything of the topic.
  table.topic(name).isBatch = true
  return true
}
