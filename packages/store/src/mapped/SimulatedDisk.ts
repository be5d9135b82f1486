/**
 * A disk that forgets: for each file it keeps what the program sees and what is on the device. A sync copies pages from
 * the one to the other; a crash keeps what is on the device and, of the rest, what chance decides, sector by sector. Names
 * (new, replaced, removed) are as volatile until their directory is synced. It can be full, fail syncs and writes, and flip bits.
 *
 * A failed sync is the kernel's: its pages count as clean afterwards, and a later sync that succeeds does not bring them.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"
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

const SECTOR_LENGTH = 512
const PAGE_LENGTH = 4096

interface Content {
  readonly live: Uint8Array
  readonly durable: Uint8Array
  /** Pages that a failed sync has lost, as they were then. */
  readonly lost: Map<number, Uint8Array>
  reservedBytes: number
}

export interface SimulatedDiskOptions {
  /** In [0, 1). */
  readonly random: () => number
  /** Runs the end of an asynchronous sync: after the call that started it has returned. */
  readonly later: (run: () => void) => void
  readonly capacityBytes: number
  /** A device that says it has synced and has not: what must not go unnoticed. */
  readonly isLying?: boolean
}

export type FaultyOperation = "create" | "reserve" | "write" | "sync" | "replace" | "prefetch"

/** An operation that is about to run may be made to fail with a code of the system. */
export type Fault = (operation: FaultyOperation, path: string) => string | undefined

export class SimulatedDisk implements FileSystem {
  readonly refusals = new Refusals()
  readonly #options: SimulatedDiskOptions
  readonly #directories: Set<string> = new Set()
  /** What the program sees. */
  #names: Map<string, Content> = new Map()
  /** What a crash leaves, but for chance. */
  #durableNames: Map<string, Content> = new Map()
  fault: Fault = () => undefined
  capacityBytes: number
  syncCount = 0
  crashCount = 0

  constructor(options: SimulatedDiskOptions) {
    this.#options = options
    this.capacityBytes = options.capacityBytes
  }

  /** The machine stops: everything that is not on the device is kept or lost by chance. Open files are dead. */
  crash(): void {
    this.crashCount++
    const names = new Map(this.#durableNames)
    for (const path of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
      const live = this.#names.get(path)
      if (live !== names.get(path) && this.#chance()) {
        setOrDelete(names, path, live)
      }
    }
    this.#names = new Map()
    for (const [path, content] of names) {
      this.#names.set(path, this.#afterCrash(content))
    }
    this.#durableNames = new Map(this.#names)
  }

  #afterCrash({ durable, live, reservedBytes }: Content): Content {
    const bytes = durable.slice()
    for (let at = 0; at < bytes.length; at += SECTOR_LENGTH) {
      const sector = live.subarray(at, at + SECTOR_LENGTH)
      if (!equal(sector, durable.subarray(at, at + SECTOR_LENGTH)) && this.#chance()) {
        bytes.set(sector, at)
      }
    }
    return contentOf(bytes, bytes.slice(), reservedBytes)
  }

  #chance(): boolean {
    return this.#options.random() < 0.5
  }

  /** Flips one bit of a file, on the device too. */
  flipBit(path: string, bit: number): void {
    const { durable, live } = this.#content(path, "flip")
    live[bit >>> 3]! ^= 1 << (bit & 7)
    durable[bit >>> 3]! ^= 1 << (bit & 7)
  }

  get paths(): ReadonlyArray<string> {
    return [...this.#names.keys()]
  }

  get #usedBytes(): number {
    let used = 0
    for (const content of this.#names.values()) {
      used += content.reservedBytes
    }
    return used
  }

  entries(directory: string): ReadonlyArray<DirectoryEntry> | undefined {
    if (!this.#directories.has(directory)) {
      return undefined
    }
    const found: Array<DirectoryEntry> = []
    for (const [path, { live }] of this.#names) {
      if (parentOf(path) === directory) {
        found.push({ name: nameOf(path), isDirectory: false, length: live.length })
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

  /** Somebody else removes an empty directory. */
  removeDirectory(directory: string): void {
    this.#directories.delete(directory)
  }

  create(path: string, length: number, use: FileUse): StoreFile {
    this.#check("create", path)
    assert(!this.#names.has(path), "a file is made that is there already")
    const content = contentOf(new Uint8Array(length), new Uint8Array(length), 0)
    this.#names.set(path, content)
    try {
      if (use === "log" || use === "state") {
        this.#reserve(path, content, length)
      }
    } catch (error) {
      this.#names.delete(path)
      throw error
    }
    return this.#fileOf(path, content, use === "log" || use === "state" ? length : 0)
  }

  createAsync(
    path: string,
    length: number,
    use: FileUse,
    done: (failure: FileFailure | undefined, file: StoreFile | undefined) => void
  ): PendingFile {
    let isTaken = false
    const finish = (): StoreFile => {
      isTaken = true
      const file = this.create(path, length, use)
      this.syncDirectory(parentOf(path))
      return file
    }
    this.#options.later(() => {
      if (!isTaken) {
        settle(finish, done)
      }
    })
    return { finish }
  }

  exists(path: string): boolean {
    return this.#names.has(path)
  }

  open(path: string, length: number): StoreFile {
    const content = this.#content(path, "open")
    if (content.live.length !== length) {
      throw new FileFailure({ code: "EINVAL", operation: "open", path })
    }
    return this.#fileOf(path, content, 0)
  }

  #fileOf(path: string, content: Content, reservedTo: number): StoreFile {
    return new SimulatedFile(path, content, reservedTo, {
      reserve: (length) => this.#reserve(path, content, length),
      write: (offset, source) => this.#write(path, content, offset, source),
      sync: (offset, length) => this.#sync(path, content, offset, length),
      read: () => this.#check("prefetch", path),
      later: this.#options.later
    })
  }

  #reserve(path: string, content: Content, end: number): void {
    this.#check("reserve", path)
    const requiredBytes = Math.max(0, end - content.reservedBytes)
    const availableBytes = this.capacityBytes - this.#usedBytes
    if (requiredBytes > availableBytes) {
      throw new FileFailure({ code: "ENOSPC", operation: "reserve", path, requiredBytes, availableBytes })
    }
    content.reservedBytes = Math.max(content.reservedBytes, end)
  }

  /** A write that fails may have got any part of the way. */
  #write(path: string, content: Content, offset: number, source: Uint8Array): void {
    const code = this.fault("write", path)
    if (code !== undefined) {
      const done = Math.floor(this.#options.random() * (source.length + 1))
      content.live.set(source.subarray(0, done), offset)
      makeDirty(content, offset, done)
      throw new FileFailure({ code, operation: "write", path })
    }
    content.live.set(source, offset)
    makeDirty(content, offset, source.length)
  }

  #sync(path: string, content: Content, offset: number, length: number): void {
    const failure = this.fault("sync", path)
    for (let page = Math.floor(offset / PAGE_LENGTH); page * PAGE_LENGTH < offset + length; page++) {
      const at = page * PAGE_LENGTH
      const live = content.live.subarray(at, at + PAGE_LENGTH)
      const lost = content.lost.get(page)
      if (failure !== undefined) {
        content.lost.set(page, live.slice())
      } else if (this.#options.isLying !== true && (lost === undefined || !equal(lost, live))) {
        content.lost.delete(page)
        content.durable.set(live, at)
      }
    }
    if (failure !== undefined) {
      throw new FileFailure({ code: failure, operation: "sync", path })
    }
    this.syncCount++
  }

  remove(path: string): void {
    this.#names.delete(path)
  }

  syncDirectory(directory: string): void {
    for (const path of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
      if (parentOf(path) === directory) {
        setOrDelete(this.#durableNames, path, this.#names.get(path))
      }
    }
  }

  syncDirectoryAsync(directory: string, done: SyncDone): void {
    this.#options.later(() => settle(() => this.syncDirectory(directory), done))
  }

  readBytes(path: string): Uint8Array | undefined {
    return this.#names.get(path)?.live.slice()
  }

  replace(path: string, bytes: Uint8Array): void {
    this.#check("replace", path)
    const content = contentOf(bytes.slice(), bytes.slice(), bytes.length)
    this.#names.set(path, content)
    this.#durableNames.set(path, content)
  }

  writeBytes(path: string, bytes: Uint8Array): void {
    this.#names.set(path, contentOf(bytes.slice(), new Uint8Array(bytes.length), bytes.length))
  }

  space(): FileSpace {
    const totalBytes = this.capacityBytes
    return { freeBytes: totalBytes - this.#usedBytes, totalBytes }
  }

  #content(path: string, operation: string): Content {
    const content = this.#names.get(path)
    if (content === undefined) {
      throw new FileFailure({ code: "ENOENT", operation, path })
    }
    return content
  }

  #check(operation: "create" | "reserve" | "replace" | "prefetch", path: string): void {
    const code = this.fault(operation, path)
    if (code !== undefined) {
      throw new FileFailure({ code, operation, path, requiredBytes: 0, availableBytes: 0 })
    }
  }
}

interface DiskCalls {
  reserve(end: number): void
  write(offset: number, source: Uint8Array): void
  sync(offset: number, length: number): void
  read(): void
  readonly later: (run: () => void) => void
}

class SimulatedFile implements StoreFile {
  readonly path: string
  readonly length: number
  readonly state: RegionState
  readonly #content: Content
  readonly #disk: DiskCalls
  #reservedTo: number

  constructor(path: string, content: Content, reservedTo: number, disk: DiskCalls) {
    this.path = path
    this.length = content.live.length
    this.state = { name: path, isClosed: false }
    this.#content = content
    this.#reservedTo = Math.max(reservedTo, content.reservedBytes)
    this.#disk = disk
  }

  /** No more than what is asked for, as a file that is not mapped may answer. */
  read(offset: number, length: number): FileWindow {
    assertOpen(this.state)
    assert(offset >= 0 && offset + length <= this.length, "a read outside its file")
    return windowOf(this.#content.live, offset, length)
  }

  claim(offset: number, length: number): FileWindow {
    assertOpen(this.state)
    // On a real device that is full a store here would end the process.
    assert(offset + length <= this.#reservedTo, "a store into bytes without blocks behind them")
    return windowOf(this.#content.live, offset, length)
  }

  publish(): void {
    // What was claimed is the file itself.
  }

  write(offset: number, source: Uint8Array, length: number): void {
    this.claim(offset, length)
    this.#disk.write(offset, source.subarray(0, length))
  }

  writeAsync(offset: number, source: Uint8Array, done: SyncDone): void {
    this.claim(offset, source.length)
    this.#later(done, () => this.#disk.write(offset, source))
  }

  reserve(offset: number, length: number): void {
    assertOpen(this.state)
    this.#disk.reserve(offset + length)
    this.#reservedTo = Math.max(this.#reservedTo, offset + length)
  }

  sync(offset: number, length: number): void {
    assertOpen(this.state)
    this.#disk.sync(offset, length)
  }

  syncAsync(offset: number, length: number, done: SyncDone): void {
    this.#later(done, () => this.#disk.sync(offset, length))
  }

  #later(done: SyncDone, run: () => void): void {
    this.#disk.later(() => settle(run, done))
  }

  warmUp(_offset: number, _length: number, done: () => void): void {
    this.#disk.later(done)
  }

  coolDown(): void {
    // Memory stays where it is.
  }

  prefetch(_offset: number, _length: number, done: SyncDone): void {
    this.#later(done, () => this.#disk.read())
  }

  clear(offset: number, length: number): void {
    assertOpen(this.state)
    this.#content.live.fill(0, offset, offset + length)
  }

  close(): void {
    this.state.isClosed = true
  }
}

const contentOf = (live: Uint8Array, durable: Uint8Array, reservedBytes: number): Content => ({
  live,
  durable,
  lost: new Map(),
  reservedBytes
})

/** Runs an operation and tells how it has ended. */
const settle = <A>(run: () => A, done: (failure: FileFailure | undefined, result: A | undefined) => void): void => {
  let result: A
  try {
    result = run()
  } catch (error) {
    if (!(error instanceof FileFailure)) {
      throw error
    }
    done(error, undefined)
    return
  }
  done(undefined, result)
}

const windowOf = (live: Uint8Array, offset: number, length: number): FileWindow => ({
  bytes: live.subarray(offset, offset + length),
  view: new DataView(live.buffer, live.byteOffset + offset, length),
  base: offset
})

/** What is written again is no longer taken for clean, even where it is the same. */
const makeDirty = (content: Content, offset: number, length: number): void => {
  for (let page = Math.floor(offset / PAGE_LENGTH); page * PAGE_LENGTH < offset + length; page++) {
    content.lost.delete(page)
  }
}

const setOrDelete = (names: Map<string, Content>, path: string, content: Content | undefined): void => {
  if (content === undefined) {
    names.delete(path)
  } else {
    names.set(path, content)
  }
}

const equal = (a: Uint8Array, b: Uint8Array): boolean => {
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) {
      return false
    }
  }
  return true
}
