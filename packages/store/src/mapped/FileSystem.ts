/**
 * The store's view of a file system: a port. The real one maps files, the one in memory holds heap buffers, the simulated
 * one forgets on a crash what was not synced. Calls are synchronous but for those that wait for the device.
 */
import type { RegionState } from "@millrace/core/kernel/memory/RegionState"

/**
 * Memory that shows a part of a file: byte `o` of the file is `bytes[o - base]`. Only what was asked for may be looked at.
 * Valid until the file is closed or, where that comes first, the step of the store that asked for it has ended.
 */
export interface FileWindow {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly base: number
}

/** `undefined` for success. Called exactly once, never before the call that took it has returned; must not throw. */
export type SyncDone = (failure: FileFailure | undefined) => void

/** A file of fixed length whose bytes are read and written through memory. */
export interface StoreFile {
  readonly path: string
  readonly length: number
  readonly state: RegionState
  /** Memory with `length` bytes at `offset`. */
  read(offset: number, length: number): FileWindow
  /** Memory for bytes that are about to be written, all of them; they must have been reserved. */
  claim(offset: number, length: number): FileWindow
  /** Hands over what was written into the last claim, which had this place. Throws `FileFailure`. */
  publish(offset: number, length: number): void
  /** Writes `source[0..length)` at `offset`, which must have been reserved. Throws `FileFailure`. */
  write(offset: number, source: Uint8Array, length: number): void
  /** As `write`, of all of `source`, off the caller's thread; nobody changes those bytes until `done`. */
  writeAsync(offset: number, source: Uint8Array, done: SyncDone): void
  /** Takes disk blocks, so that later stores cannot find the device full. Throws `FileFailure`. */
  reserve(offset: number, length: number): void
  /** Brings bytes to the device and waits for it. Throws `FileFailure`. */
  sync(offset: number, length: number): void
  /** The same off the caller's thread. The file stays usable; a close in between is put off until the sync has ended. */
  syncAsync(offset: number, length: number, done: SyncDone): void
  /** Makes the memory of bytes that will be written ready for it, in the thread pool, and keeps it if the system allows. */
  warmUp(offset: number, length: number, done: () => void): void
  /** Lets the system have the memory again that `warmUp` has kept. */
  coolDown(): void
  /** Brings bytes that will be read into memory, off the caller's thread. Who reads those that have failed may end the process. */
  prefetch(offset: number, length: number, done: SyncDone): void
  /** Makes bytes read as zeros, on the device too after the next sync. */
  clear(offset: number, length: number): void
  close(): void
}

/** A file that is being made in the background. */
export interface PendingFile {
  /** Does at once what is left to do, and takes the file; nobody else is told of it then. Throws `FileFailure`. */
  finish(): StoreFile
}

export interface DirectoryEntry {
  readonly name: string
  readonly isDirectory: boolean
  /** Length in bytes; 0 for a directory. */
  readonly length: number
}

export interface FileSpace {
  readonly freeBytes: number
  readonly totalBytes: number
}

/** How a file is used: blocks of a log are taken at once, those of a queue or index as it grows. */
export type FileUse = "log" | "queue" | "index" | "state"

/** What the system has refused and the store does without: counted, with what it said the last time. */
export class Refusals {
  /** Files that could not be mapped and are read and written by position instead. */
  mappings: number = 0
  /** Files whose memory could not be kept from being paged out. */
  locks: number = 0
  last: FileFailure | undefined = undefined
}

export interface FileSystem {
  readonly refusals: Refusals
  /** Entries in no order; undefined where there is no such directory. */
  entries(directory: string): ReadonlyArray<DirectoryEntry> | undefined
  /** Makes a directory and those above it, durably unless their names are synced later. */
  makeDirectory(directory: string, isSyncedLater?: boolean): void
  /** Makes a file of zeros that must not exist. Its name is durable after `syncDirectory`. */
  create(path: string, length: number, use: FileUse): StoreFile
  /** As `create`, and `syncDirectory`, off the caller's thread. What can be refused at once is thrown. */
  createAsync(
    path: string,
    length: number,
    use: FileUse,
    done: (failure: FileFailure | undefined, file: StoreFile | undefined) => void
  ): PendingFile
  open(path: string, length: number, use: FileUse, readOnly: boolean): StoreFile
  remove(path: string): void
  exists(path: string): boolean
  syncDirectory(directory: string): void
  syncDirectoryAsync(directory: string, done: SyncDone): void
  /** The whole of a small file; undefined where there is none. */
  readBytes(path: string): Uint8Array | undefined
  /** Replaces a small file durably: whoever reads it, now or after a crash, finds the old or the new content whole. */
  replace(path: string, bytes: Uint8Array): void
  /** Overwrites a small file in place, keeping its identity and so the locks on it. */
  writeBytes(path: string, bytes: Uint8Array): void
  space(directory: string): FileSpace
}

/** What a file operation that failed says. `code` is the system's name for it: ENOSPC, EIO, EACCES, … */
export class FileFailure extends Error {
  readonly _tag = "FileFailure"
  override readonly name = "FileFailure"
  readonly code: string
  readonly operation: string
  readonly path: string
  /** What is known beside the operation, the path and the code. */
  readonly detail: string
  readonly requiredBytes: number | undefined
  readonly availableBytes: number | undefined

  constructor(fields: {
    readonly code: string
    readonly operation: string
    readonly path: string
    readonly message?: string | undefined
    readonly detail?: string | undefined
    readonly requiredBytes?: number | undefined
    readonly availableBytes?: number | undefined
  }) {
    const { code, detail, operation, path } = fields
    const call = `${operation} of ${path} failed with ${code}`
    super(fields.message ?? (detail === undefined ? call : `${call}: ${detail}`))
    this.detail = fields.message ?? detail ?? "the system says no more"
    this.code = code
    this.operation = operation
    this.path = path
    this.requiredBytes = fields.requiredBytes
    this.availableBytes = fields.availableBytes
  }

  get isOutOfSpace(): boolean {
    return this.code === "ENOSPC" || this.code === "EDQUOT"
  }
}

export const join = (directory: string, name: string): string => `${directory}/${name}`

/** The directory of a file or directory; empty for one that is in none. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
