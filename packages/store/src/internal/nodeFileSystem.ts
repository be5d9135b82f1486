/** The real file system behind the store's port: files are mapped, names are made durable by syncing their directory. */
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as Files from "@millrace/core/kernel/native/Files"
import * as fs from "node:fs"
import { dirname } from "node:path"
import type { DirectoryEntry, FileSystem, FileUse, StoreFile } from "../mapped/FileSystem.ts"
import { toFileFailure } from "./fileFailure.ts"
import { MappedStoreFile } from "./mappedStoreFile.ts"

/** Queue files are mapped in parts from this length on. */
const QUEUE_FIRST_LENGTH = 64 * 1024
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

const makeDirectory = (directory: string): void => {
  if (!fs.existsSync(directory)) {
    const parent = dirname(directory)
    makeDirectory(parent)
    Files.makeDirectory(directory)
    Files.syncDirectory(parent)
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

const openFile = (path: string, length: number, use: FileUse, readOnly: boolean): StoreFile =>
  new MappedStoreFile(path, length, {
    firstLength: use === "queue" ? QUEUE_FIRST_LENGTH : use === "index" ? INDEX_FIRST_LENGTH : length,
    isRandom: use === "queue" || use === "index",
    readOnly
  })

const readBytes = (path: string): Uint8Array | undefined => {
  try {
    return fs.readFileSync(path)
  } catch (error) {
    if (isMissing(error)) {
      return undefined
    }
    throw error
  }
}

const replaceFile = (path: string, bytes: Uint8Array): void => {
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

export const nodeFileSystem: FileSystem = {
  entries: (directory) => attempt("list", directory, () => entriesOf(directory)),
  makeDirectory: (directory) => attempt("make directory", directory, () => makeDirectory(directory)),
  create: (path, length, use) => {
    attempt("create", path, () => createFile(path, length, use))
    try {
      return openFile(path, length, use, false)
    } catch (error) {
      // Whoever tries again takes another name: files that cannot be mapped would fill the device.
      attempt("remove", path, () => Files.remove(path))
      throw error
    }
  },
  open: openFile,
  remove: (path) => attempt("remove", path, () => Files.remove(path)),
  exists: (path) => fs.existsSync(path),
  syncDirectory: (directory) => attempt("sync directory", directory, () => Files.syncDirectory(directory)),
  readBytes: (path) => attempt("read", path, () => readBytes(path)),
  replace: (path, bytes) => attempt("replace", path, () => replaceFile(path, bytes)),
  writeBytes: (path, bytes) => attempt("write", path, () => fs.writeFileSync(path, bytes)),
  space: (directory) => attempt("measure", directory, () => FileSpace.available(directory))
}
