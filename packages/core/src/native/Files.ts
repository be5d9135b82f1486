/**
 * Files by descriptor: the few operations that mapping needs, each with its error as a `NativeError`.
 * What is made here is private to its user (files 0600, directories 0700): a log buffer holds other people's messages.
 */
import * as fs from "node:fs"
import { dirname } from "node:path"
import { attempt, fromNode } from "./Errno.ts"

export const FILE_MODE = 0o600
export const DIRECTORY_MODE = 0o700

/** `error` is undefined when the operation succeeded. Called once, on a later turn of the event loop. */
export type Completion = (error: Error | undefined) => void

export const openExisting = (path: string, readOnly: boolean): number =>
  attempt(path, () => fs.openSync(path, readOnly ? fs.constants.O_RDONLY : fs.constants.O_RDWR))

/** Makes a file that was not there before: of two processes that try, one gets EEXIST. */
export const createExclusive = (path: string, mode: number = FILE_MODE): number =>
  attempt(path, () => fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL, mode))

/** Opens a file for reading and writing, and makes it empty if it is not there. */
export const openOrCreate = (path: string, mode: number = FILE_MODE): number =>
  attempt(path, () => fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, mode))

export const close = (fd: number): void => attempt(undefined, () => fs.closeSync(fd))

export const lengthOf = (fd: number, path: string): number => attempt(path, () => fs.fstatSync(fd).size)

/** Sets the length without taking blocks: what is beyond the old end is a hole that reads as zeros. */
export const truncate = (fd: number, length: number, path: string): void =>
  attempt(path, () => fs.ftruncateSync(fd, length))

/** The one that has to be made before all others. */
const topmostMissing = (path: string): string => {
  const parent = dirname(path)
  return fs.existsSync(parent) ? path : topmostMissing(parent)
}

/** Makes a directory and those above it. One that is there already stays as it is. */
export const makeDirectory = (path: string, mode: number = DIRECTORY_MODE): void =>
  attempt(path, () => {
    try {
      fs.mkdirSync(path, { recursive: true, mode })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        // So says Node of a read-only file system, where it makes several: of one alone it says what the system does.
        fs.mkdirSync(topmostMissing(path), { mode })
      }
      throw error
    }
  })

/** Removes a file; one that is not there is fine. */
export const remove = (path: string): void => attempt(path, () => fs.rmSync(path, { force: true }))

/** Waits until the data of the file, and the length needed to read it, are on the device (F_FULLFSYNC on macOS). */
export const syncData = (fd: number, path: string): void => attempt(path, () => fs.fdatasyncSync(fd))

/** As `syncData`, in the thread pool. The descriptor must stay open until `done` is called. */
export const syncDataAsync = (fd: number, path: string, done: Completion): void =>
  fs.fdatasync(fd, (error) => done(error === null ? undefined : (fromNode(error, path) as Error)))

/** Waits until the names in a directory are on the device: a new or renamed file is durable only after this. */
export const syncDirectory = (path: string): void => {
  const fd = attempt(path, () => fs.openSync(path, fs.constants.O_RDONLY))
  try {
    attempt(path, () => fs.fsyncSync(fd))
  } finally {
    fs.closeSync(fd)
  }
}
