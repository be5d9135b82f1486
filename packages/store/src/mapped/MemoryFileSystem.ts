/**
 * Files of a store in JavaScript memory: the same engine without a disk. Content lives as long as this object, so a store
 * can be closed and opened again on it.
 */
import { assertOpen, type RegionState } from "@millrace/core/kernel/memory/RegionState"
import {
  type DirectoryEntry,
  FileFailure,
  type FileSpace,
  type FileSystem,
  type FileUse,
  type FileWindow,
  nameOf,
  parentOf,
  type PendingFile,
  Refusals,
  type StoreFile,
  type SyncDone
} from "./FileSystem.ts"

interface Content {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** Runs a callback on a later turn; `queueMicrotask` for one. */
export type Later = (run: () => void) => void

export class MemoryFileSystem implements FileSystem {
  readonly refusals = new Refusals()
  readonly #files: Map<string, Content> = new Map()
  readonly #directories: Set<string> = new Set()
  readonly #later: Later

  constructor(later: Later) {
    this.#later = later
  }

  entries(directory: string): ReadonlyArray<DirectoryEntry> | undefined {
    if (!this.#directories.has(directory)) {
      return undefined
    }
    const found: Array<DirectoryEntry> = []
    for (const [path, content] of this.#files) {
      if (parentOf(path) === directory) {
        found.push({ name: nameOf(path), isDirectory: false, length: content.bytes.length })
      }
    }
    for (const path of this.#directories) {
      if (parentOf(path) === directory) {
        found.push({ name: nameOf(path), isDirectory: true, length: 0 })
      }
    }
    return found
  }

  makeDirectory(directory: string): void {
    for (let path = directory; path !== "" && !this.#directories.has(path); path = parentOf(path)) {
      this.#directories.add(path)
    }
  }

  create(path: string, length: number): StoreFile {
    if (this.#files.has(path)) {
      throw new FileFailure({ code: "EEXIST", operation: "create", path })
    }
    const bytes = new Uint8Array(length)
    const content = { bytes, view: new DataView(bytes.buffer) }
    this.#files.set(path, content)
    return new MemoryFile(path, content, this.#later)
  }

  createAsync(
    path: string,
    length: number,
    _use: FileUse,
    done: (failure: FileFailure | undefined, file: StoreFile | undefined) => void
  ): PendingFile {
    const file = this.create(path, length)
    let isTaken = false
    this.#later(() => {
      if (!isTaken) {
        done(undefined, file)
      }
    })
    return {
      finish: () => {
        isTaken = true
        return file
      }
    }
  }

  exists(path: string): boolean {
    return this.#files.has(path)
  }

  open(path: string, length: number): StoreFile {
    const content = this.#files.get(path)
    if (content === undefined || content.bytes.length !== length) {
      throw new FileFailure({ code: content === undefined ? "ENOENT" : "EINVAL", operation: "open", path })
    }
    return new MemoryFile(path, content, this.#later)
  }

  remove(path: string): void {
    this.#files.delete(path)
  }

  syncDirectory(): void {
    // Names in memory are as durable as what they name.
  }

  syncDirectoryAsync(_directory: string, done: SyncDone): void {
    this.#later(() => done(undefined))
  }

  readBytes(path: string): Uint8Array | undefined {
    return this.#files.get(path)?.bytes.slice()
  }

  replace(path: string, bytes: Uint8Array): void {
    const copy = bytes.slice()
    this.#files.set(path, { bytes: copy, view: new DataView(copy.buffer) })
  }

  writeBytes(path: string, bytes: Uint8Array): void {
    this.replace(path, bytes)
  }

  space(): FileSpace {
    return { freeBytes: Number.MAX_SAFE_INTEGER, totalBytes: Number.MAX_SAFE_INTEGER }
  }
}

class MemoryFile implements StoreFile {
  readonly path: string
  readonly length: number
  readonly state: RegionState
  readonly #window: FileWindow
  readonly #later: Later

  constructor(path: string, content: Content, later: Later) {
    this.path = path
    this.length = content.bytes.length
    this.state = { name: path, isClosed: false }
    this.#window = { bytes: content.bytes, view: content.view, base: 0 }
    this.#later = later
  }

  read(): FileWindow {
    return this.#window
  }

  claim(): FileWindow {
    assertOpen(this.state)
    return this.#window
  }

  write(offset: number, source: Uint8Array, length: number): void {
    assertOpen(this.state)
    this.#window.bytes.set(source.subarray(0, length), offset)
  }

  publish(): void {
    // What was claimed is the file itself.
  }

  writeAsync(offset: number, source: Uint8Array, done: SyncDone): void {
    this.#later(() => {
      this.#window.bytes.set(source, offset)
      done(undefined)
    })
  }

  reserve(): void {
    // Memory was taken when the file was made.
  }

  sync(): void {
    assertOpen(this.state)
  }

  syncAsync(_offset: number, _length: number, done: SyncDone): void {
    this.#later(() => done(undefined))
  }

  warmUp(_offset: number, _length: number, done: () => void): void {
    this.#later(done)
  }

  coolDown(): void {
    // Memory stays where it is.
  }

  prefetch(_offset: number, _length: number, done: SyncDone): void {
    this.#later(() => done(undefined))
  }

  clear(offset: number, length: number): void {
    assertOpen(this.state)
    this.#window.bytes.fill(0, offset, offset + length)
  }

  close(): void {
    this.state.isClosed = true
  }
}
