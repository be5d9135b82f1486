/** The files of queues on their file system: `consumequeue/<topic>/<queue id>/<position>`, or `batchconsumequeue/…`. */
import { BatchConsumeQueue } from "../consumequeue/BatchConsumeQueue.ts"
import * as BatchEntryDescriptor from "../consumequeue/BatchEntryDescriptor.ts"
import { ConsumeQueue } from "../consumequeue/ConsumeQueue.ts"
import * as EntryDescriptor from "../consumequeue/EntryDescriptor.ts"
import type { QueueState, QueueTable, TopicQueues } from "../consumequeue/QueueTable.ts"
import { type FileSystem, join } from "../mapped/FileSystem.ts"
import { ForeignFile, MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import type { UnsyncedNames } from "../mapped/UnsyncedNames.ts"
import type { StoreOptions } from "./StoreOptions.ts"
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

const fileLengthOf = (options: StoreOptions, isBatch: boolean): number => {
  const length = isBatch ? options.mapperFileSizeBatchConsumeQueue : options.mappedFileSizeConsumeQueue
  const entryLength = isBatch ? BatchEntryDescriptor.LENGTH : EntryDescriptor.LENGTH
  return Math.ceil(length / entryLength) * entryLength
}

const queueFiles = ({ fileSystem, options, unsynced }: QueuePlace, directory: string, isBatch: boolean) => {
  const fileLength = fileLengthOf(options, isBatch)
  return new MappedFileQueue({
    fileSystem,
    directories: [directory],
    fileLength,
    use: "queue",
    reserveStep: Math.min(RESERVE_STEP, fileLength),
    readOnly: options.readOnly,
    unsynced
  })
}

const queueOf = (topic: string, queueId: number, files: MappedFileQueue, isBatch: boolean): ConsumeQueue =>
  isBatch ? new BatchConsumeQueue(topic, queueId, files) : new ConsumeQueue(topic, queueId, files)

/** A queue that is new. Its directory is made here, its first file with its first entry. */
export const open = (place: QueuePlace, { isBatch, name }: TopicQueues, queueId: number): ConsumeQueue => {
  const { fileSystem, options, unsynced } = place
  const root = rootOf(place, isBatch)
  const ofTopic = join(root, name)
  const directory = join(ofTopic, String(queueId))
  fileSystem.makeDirectory(directory, true)
  if (isBatch) {
    // A store is made with the other root only.
    unsynced.add(options.storePathRootDir)
  }
  unsynced.add(root)
  unsynced.add(ofTopic)
  const files = queueFiles(place, directory, isBatch)
  files.onWriting()
  return queueOf(name, queueId, files, isBatch)
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
    const files = queueFiles(place, path, isBatch)
    files.load()
    if (hasType(table, name, isBatch, files, path)) {
      onLoaded(table.add(table.topic(name), queueOf(name, queueId, files, isBatch)))
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
