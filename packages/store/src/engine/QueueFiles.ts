/** The files of consume queues on their file system: `consumequeue/<topic>/<queue id>/<position>`. */
import { ConsumeQueue } from "../consumequeue/ConsumeQueue.ts"
import * as EntryDescriptor from "../consumequeue/EntryDescriptor.ts"
import type { QueueState, QueueTable } from "../consumequeue/QueueTable.ts"
import { type FileSystem, join } from "../mapped/FileSystem.ts"
import { ForeignFile, MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import type { UnsyncedNames } from "../mapped/UnsyncedNames.ts"
import type { StoreOptions } from "./StoreOptions.ts"
import * as StorePaths from "./StorePaths.ts"

/** Entries get disk blocks in steps of this many bytes: 3,276 messages a step. */
const RESERVE_STEP = 64 * 1024

const fileLengthOf = (options: StoreOptions): number =>
  Math.ceil(options.mappedFileSizeConsumeQueue / EntryDescriptor.LENGTH) * EntryDescriptor.LENGTH

const queueFiles = (
  fileSystem: FileSystem,
  options: StoreOptions,
  directory: string,
  unsynced: UnsyncedNames
): MappedFileQueue =>
  new MappedFileQueue({
    fileSystem,
    directories: [directory],
    fileLength: fileLengthOf(options),
    use: "queue",
    reserveStep: Math.min(RESERVE_STEP, fileLengthOf(options)),
    readOnly: options.readOnly,
    unsynced
  })

/** Files of a queue that is new. Its directory is made here, its first file with its first entry. */
export const open = (
  fileSystem: FileSystem,
  options: StoreOptions,
  topic: string,
  queueId: number,
  unsynced: UnsyncedNames
): MappedFileQueue => {
  const root = StorePaths.consumeQueues(options.storePathRootDir)
  const ofTopic = join(root, topic)
  const directory = join(ofTopic, String(queueId))
  fileSystem.makeDirectory(directory, true)
  unsynced.add(root)
  unsynced.add(ofTopic)
  const files = queueFiles(fileSystem, options, directory, unsynced)
  files.onWriting()
  return files
}

/** Told of a queue that was opened. Its files count as written to their ends. */
export type OnLoaded = (state: QueueState) => void

/** Opens all queues that are there and not open yet. Throws `FileFailure` and `ForeignFile`. */
export const loadAll = (
  fileSystem: FileSystem,
  options: StoreOptions,
  table: QueueTable,
  unsynced: UnsyncedNames,
  onLoaded: OnLoaded
): void => {
  const root = StorePaths.consumeQueues(options.storePathRootDir)
  for (const topic of fileSystem.entries(root) ?? []) {
    if (topic.isDirectory) {
      loadTopic(fileSystem, options, table, topic.name, unsynced, onLoaded)
    }
  }
}

const loadTopic = (
  fileSystem: FileSystem,
  options: StoreOptions,
  table: QueueTable,
  topic: string,
  unsynced: UnsyncedNames,
  onLoaded: OnLoaded
): void => {
  const directory = join(StorePaths.consumeQueues(options.storePathRootDir), topic)
  for (const entry of fileSystem.entries(directory) ?? []) {
    const path = join(directory, entry.name)
    if (!entry.isDirectory || !/^\d{1,10}$/.test(entry.name)) {
      throw new ForeignFile(path, "a topic holds only directories named by queue id")
    }
    if (table.find(topic, Number(entry.name)) !== undefined) {
      continue
    }
    const files = queueFiles(fileSystem, options, path, unsynced)
    files.load()
    onLoaded(table.add(table.topic(topic), new ConsumeQueue(topic, Number(entry.name), files)))
  }
}
