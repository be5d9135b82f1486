/** Where the parts of a store lie under its directory, and whether a directory is one. */
import * as FileNaming from "../mapped/FileNaming.ts"
import { type DirectoryEntry, FileFailure, type FileSystem, join } from "../mapped/FileSystem.ts"

export const commitLog = (root: string): string => join(root, "commitlog")
export const consumeQueues = (root: string): string => join(root, "consumequeue")
/** What entries of consume queues have no room for. */
export const consumeQueueExts = (root: string): string => join(root, "consumequeue_ext")
/** Queues of topics whose messages come as inner batches. */
export const batchConsumeQueues = (root: string): string => join(root, "batchconsumequeue")
export const index = (root: string): string => join(root, "index")
export const config = (root: string): string => join(root, "config")
export const checkpoint = (root: string): string => join(root, "checkpoint")
export const lock = (root: string): string => join(root, "lock")

/** Everything that this store or RocketMQ's writes into a store directory. */
const KNOWN: ReadonlySet<string> = new Set([
  "abort",
  "abort.bak",
  "batchconsumequeue",
  "checkpoint",
  "commitlog",
  "compaction",
  "config",
  "consumequeue",
  "consumequeue_ext",
  "index",
  "lock",
  "rocksdbstore",
  "timerlog",
  "timerwheel"
])

export type Kind =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Store" }
  | { readonly _tag: "Foreign"; readonly found: string }

/**
 * What a directory holds. It is a store when it has the log or a store's lock and nothing that no store has; a missing
 * directory counts as empty. Nothing is changed.
 */
export const kindOf = (fileSystem: FileSystem, root: string): Kind => {
  const entries = entriesOf(fileSystem, root)
  if (entries === undefined) {
    return { _tag: "Foreign", found: "no directory but a file" }
  }
  if (entries.length === 0) {
    return { _tag: "Empty" }
  }
  const foreign = entries.find((entry) => !KNOWN.has(entry.name) && !isTemporary(entry))
  if (foreign !== undefined) {
    return { _tag: "Foreign", found: foreign.name }
  }
  const log = fileSystem.entries(commitLog(root))
  const foreignInLog = log?.find((entry) => !entry.isDirectory && FileNaming.parse(entry.name) < 0)
  if (foreignInLog !== undefined) {
    return { _tag: "Foreign", found: `commitlog/${foreignInLog.name}` }
  }
  if (log === undefined && !entries.some((entry) => entry.name === "lock" && !entry.isDirectory)) {
    return { _tag: "Foreign", found: entries[0]!.name }
  }
  return { _tag: "Store" }
}

/** Entries of a directory, none of a missing one; undefined for a path that is (or leads through) a file. */
const entriesOf = (fileSystem: FileSystem, root: string): ReadonlyArray<DirectoryEntry> | undefined => {
  try {
    return fileSystem.entries(root) ?? []
  } catch (error) {
    if (error instanceof FileFailure && error.code === "ENOTDIR") {
      return undefined
    }
    throw error
  }
}

/** A file that was being replaced when a process ended. */
const isTemporary = (entry: DirectoryEntry): boolean => !entry.isDirectory && entry.name.endsWith(".tmp")
