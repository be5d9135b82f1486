/**
 * The real file system behind the store's port: files are mapped, or read and written by position where that is asked for
 * or the system refuses to map; names are made durable by syncing their directory.
 */
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as Files from "@millrace/core/kernel/native/Files"
import * as fs from "node:fs"
import { dirname } from "node:path"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import {
  type DirectoryEntry,
  FileFailure,
  type FileSystem,
  type FileUse,
  Refusals,
  type StoreFile
} from "../mapped/FileSystem.ts"
import { createFileAsync, syncDirectoryAsync } from "./createFileAsync.ts"
import { DescriptorCache } from "./descriptorCache.ts"
import { toFileFailure } from "./fileFailure.ts"
import { MappedStoreFile } from "./mappedStoreFile.ts"
import { PositionalStoreFile } from "./positionalStoreFile.ts"

/** Queue files are mapped in parts from this length on. */
const QUEUE_FIRST_LENGTH = 16 * 1024
/** An index file of the usual length (420 MB) has its slots and its first entries within this. */
const INDEX_FIRST_LENGTH = 32 * 1024 * 1024
const TEMPORARY_SUFFIX = ".tmp"

const attempt = <A>(operation: string, path: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw toFileFailure(error, operation, path)
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

const entriesOf = (directory: string): ReadonlyArray<DirectoryEntry> | undefined => {
  try {
    const found: Array<DirectoryEntry> = []
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      const isDirectory = entry.isDirectory()
      // Another process may have removed the file since it was listed.
      const stats = isDirectory ? undefined : fs.statSync(`${directory}/${entry.name}`, { throwIfNoEntry: false })
      if (isDirectory || stats !== undefined) {
        found.push({ name: entry.name, isDirectory, length: stats?.size ?? 0 })
      }
    }
    return found
  } catch (error) {
    if (isMissing(error)) {
      return undefined
    }
    throw error
  }
}

const makeDirectory = (directory: string, isSyncedLater: boolean): void => {
  if (!fs.existsSync(directory)) {
    const parent = dirname(directory)
    makeDirectory(parent, isSyncedLater)
    Files.makeDirectory(directory)
    if (!isSyncedLater) {
      Files.syncDirectory(parent)
    }
  }
}

const createFile = (path: string, length: number, use: FileUse): void => {
  const fd = Files.createExclusive(path)
  try {
    if (use === "log" || use === "state") {
      FileSpace.reserve(fd, 0, length, path)
    } else {
      Files.truncate(fd, length, path)
    }
  } catch (error) {
    Files.remove(path)
    throw error
  } finally {
    Files.close(fd)
  }
}

/** Longest file that is read as a whole: a hundred thousand topics take half of it. */
const WHOLE_LENGTH_MAX = 64 * 1024 * 1024

const refuseLong = (operation: string, path: string, length: number): void => {
  if (length > WHOLE_LENGTH_MAX) {
    const message = `it has ${length} bytes, files that are read as a whole have ${WHOLE_LENGTH_MAX} at most`
    throw new FileFailure({ code: "EFBIG", operation, path, message })
  }
}

const readBytes = (path: string): Uint8Array | undefined => {
  try {
    refuseLong("read", path, fs.statSync(path).size)
    return fs.readFileSync(path)
  } catch (error) {
    if (isMissing(error)) {
      return undefined
    }
    throw error
  }
}

const replaceFile = (path: string, bytes: Uint8Array): void => {
  refuseLong("replace", path, bytes.length)
  const temporary = path + TEMPORARY_SUFFIX
  const fd = fs.openSync(temporary, "w", Files.FILE_MODE)
  try {
    fs.writeFileSync(fd, bytes)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
  fs.renameSync(temporary, path)
  Files.syncDirectory(dirname(path))
}

export interface NodeFileSystemOptions {
  /** Reads and writes files by position and maps none. */
  readonly isPositional: boolean
  /** Maps a file; `Mapping.open` unless a test says otherwise. */
  readonly map?: typeof Mapping.open
}

/** What a system answers that will not map a file, or not one more: the file itself can be used all the same. */
const REFUSALS: ReadonlySet<string> = new Set(["ENODEV", "ENOMEM", "EAGAIN", "EPERM", "ENOSYS", "ENOTSUP"])

/** Descriptors of queue and index files that are open at once where these are not mapped. */
const DESCRIPTORS_MAX = 1000

export const makeNodeFileSystem = (options: NodeFileSystemOptions): FileSystem => {
  const refusals = new Refusals()
  const open = opener(options, refusals)
  return {
    refusals,
    entries: (directory) => attempt("list", directory, () => entriesOf(directory)),
    makeDirectory: (directory, isSyncedLater = false) =>
      attempt("make directory", directory, () => makeDirectory(directory, isSyncedLater)),
    create: (path, length, use) => {
      attempt("create", path, () => createFile(path, length, use))
      try {
        return open(path, length, use, false)
      } catch (error) {
        // Whoever tries again takes another name: files that cannot be opened would fill the device.
        attempt("remove", path, () => Files.remove(path))
        throw error
      }
    },
    createAsync: (path, length, use, done) => createFileAsync(path, length, () => open(path, length, use, false), done),
    open,
    remove: (path) => attempt("remove", path, () => Files.remove(path)),
    exists: (path) => fs.existsSync(path),
    syncDirectory: (directory) => attempt("sync directory", directory, () => Files.syncDirectory(directory)),
    syncDirectoryAsync: (directory, done) =>
      syncDirectoryAsync(directory, (error) =>
        done(error === undefined ? undefined : toFileFailure(error, "sync directory", directory))
      ),
    readBytes: (path) => attempt("read", path, () => readBytes(path)),
    replace: (path, bytes) => attempt("replace", path, () => replaceFile(path, bytes)),
    writeBytes: (path, bytes) => attempt("write", path, () => fs.writeFileSync(path, bytes)),
    space: (directory) => attempt("measure", directory, () => FileSpace.available(directory))
  }
}

/** Opens files: mapped, or by position where that is asked for or all that the system allows. */
const opener = (
  { isPositional, map = Mapping.open }: NodeFileSystemOptions,
  refusals: Refusals
): FileSystem["open"] => {
  const descriptors = new DescriptorCache(DESCRIPTORS_MAX)

  const openPositional: FileSystem["open"] = (path, length, use, readOnly) => {
    const isRandom = isRandomUse(use)
    // The log keeps its descriptors: one that is opened anew may miss that an earlier write has failed.
    return new PositionalStoreFile(path, length, {
      isRandom,
      readOnly,
      descriptors: isRandom ? descriptors : undefined
    })
  }

  const openMapped: FileSystem["open"] = (path, length, use, readOnly) => {
    const onRefused = (failure: FileFailure): StoreFile => {
      if (!REFUSALS.has(failure.code)) {
        throw failure
      }
      refusals.mappings++
      refusals.last = failure
      return openPositional(path, length, use, readOnly)
    }
    try {
      return new MappedStoreFile(path, length, {
        firstLength: use === "queue" ? QUEUE_FIRST_LENGTH : use === "index" ? INDEX_FIRST_LENGTH : length,
        isRandom: isRandomUse(use),
        readOnly,
        map,
        onRefused,
        onLockRefused: (failure) => {
          refusals.locks++
          refusals.last = failure
        }
      })
    } catch (error) {
      if (!(error instanceof FileFailure)) {
        throw error
      }
      return onRefused(error)
    }
  }

  return isPositional ? openPositional : openMapped
}

const isRandomUse = (use: FileUse): boolean => use === "queue" || use === "index"
