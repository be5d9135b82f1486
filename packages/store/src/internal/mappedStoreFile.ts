/**
 * A store's file, mapped into memory.
 *
 * The view of a mapping is charged to V8 at its full length, so a file that fills slowly (a queue) is mapped in growing
 * parts: each step maps the file anew at four times the length, and windows of the old mapping die. Log files are mapped
 * whole, once, when they are made.
 *
 * Syncs are fdatasync on the descriptor: a store into a mapping waited 37 ms at worst beside one, 254 ms beside msync.
 */
import { FileFailure, type FileWindow, type StoreFile, type SyncDone } from "../mapped/FileSystem.ts"
import { NativeError } from "@millrace/core/kernel/native/Errno"
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as Files from "@millrace/core/kernel/native/Files"
import type * as Mapping from "@millrace/core/kernel/native/Mapping"
import type { MappedRegion } from "@millrace/core/kernel/memory/MappedRegion"
import { assertOpen, type RegionState } from "@millrace/core/kernel/memory/RegionState"
import { writeFully, writeFullyAsync } from "./descriptorWrites.ts"
import { toFileFailure } from "./fileFailure.ts"

const GROWTH = 4

/**
 * From this length on a write goes through the descriptor: it shares the page cache with the mapping, and a store into
 * fresh pages of a mapping costs a page fault each (measured: 90-680 ns per 270 bytes against 50-160).
 */
const WRITE_LENGTH_MIN = 16 * 1024

/**
 * Pages that are made ready in one call, ahead of the stores that would fault on each of them (measured: 410-610 ns per
 * 270 bytes with the faults, 130 without). At most as much as is written already: most queues stay nearly empty.
 */
const TOUCH_LENGTH_MAX = 64 * 1024

/** Of a log that grows fast the thread pool makes pages ready this far ahead: half of them used up, it makes the next. */
const AHEAD_LENGTH = 2 * 1024 * 1024
const PAGE_LENGTH = 4096

/** Of these pages a read would end the process (SIGBUS). */
const UNREADABLE = new Set(["EFAULT", "EIO", "EHWPOISON"])

export interface MappedStoreFileOptions {
  /** Bytes mapped at first; the whole file where it is at least its length. */
  readonly firstLength: number
  /** Entries are read and written here and there: reading ahead would only fill the page cache. */
  readonly isRandom: boolean
  readonly readOnly: boolean
  /** Maps the file; `Mapping.open`, but for tests. */
  readonly map: typeof Mapping.open
  /** What stands in for the mapping when the system will not map more of the file. Throws the failure where nothing does. */
  readonly onRefused: (failure: FileFailure) => StoreFile
  /** The system does not keep the file's memory. */
  readonly onLockRefused: (failure: FileFailure) => void
}

export class MappedStoreFile implements StoreFile {
  readonly path: string
  readonly length: number
  readonly state: RegionState
  readonly #options: MappedStoreFileOptions
  #region: MappedRegion
  /** Length of the region: it is asked for with each byte that is read or written. */
  #mappedLength: number
  #window: FileWindow
  /** Reads and writes what lies behind the mapping where it could not grow. Both share the page cache. */
  #beyond: StoreFile | undefined = undefined
  #fd: number | undefined = undefined
  #pendingCount = 0
  #isLockRefused = false
  /** Bytes before this offset are ready for stores, or were left to them. */
  #touchedTo = 0
  /** Bytes of a queue or an index from here on may have no blocks yet. */
  #reservedTo = 0
  /** A write that reaches beyond has the pool touch more; while it does, and where it never is to, this is infinite. */
  #aheadFrom: number

  constructor(path: string, length: number, options: MappedStoreFileOptions) {
    this.path = path
    this.length = length
    this.state = { name: path, isClosed: false }
    this.#options = options
    this.#aheadFrom = options.isRandom ? Number.POSITIVE_INFINITY : AHEAD_LENGTH
    this.#region = this.#map(Math.min(length, options.firstLength))
    this.#mappedLength = this.#region.length
    this.#window = windowOf(this.#region)
  }

  read(offset: number, length: number): FileWindow {
    return this.#has(offset + length) ? this.#window : this.#beyond!.read(offset, length)
  }

  claim(offset: number, length: number): FileWindow {
    if (!this.#has(offset + length)) {
      return this.#beyond!.claim(offset, length)
    }
    this.#makeReady(offset, offset + length)
    return this.#window
  }

  write(offset: number, source: Uint8Array, length: number): void {
    if (length < WRITE_LENGTH_MIN && this.#has(offset + length)) {
      this.#makeReady(offset, offset + length)
      this.#window.bytes.set(source.subarray(0, length), offset)
      return
    }
    try {
      writeFully(this.#descriptor(), source, offset, length)
    } catch (error) {
      throw toFileFailure(error, "write", this.path)
    }
  }

  publish(offset: number, length: number): void {
    if (offset + length > this.#mappedLength) {
      this.#beyond!.publish(offset, length)
    }
    // Stores into the mapping are the file.
  }

  reserve(offset: number, length: number): void {
    this.#withDescriptor("reserve", (fd) => FileSpace.reserve(fd, offset, length, this.path))
    this.#reservedTo = Math.max(this.#reservedTo, offset + length)
  }

  /** Sees to it that stores from `offset` to `end` wait for no page. */
  #makeReady(offset: number, end: number): void {
    if (end > this.#touchedTo) {
      this.#touch(offset, end)
    }
    if (end > this.#aheadFrom) {
      this.#touchAhead(end)
    }
  }

  /** Makes pages from `offset` on ready for stores, those of `end` and some behind them that have blocks. */
  #touch(offset: number, end: number): void {
    const start = Math.max(offset, this.#touchedTo)
    const from = start - (start % PAGE_LENGTH)
    const blocksEnd = this.#options.isRandom ? this.#reservedTo : this.length
    const to = Math.min(blocksEnd, this.#region.length, from + Math.min(TOUCH_LENGTH_MAX, Math.max(PAGE_LENGTH, from)))
    this.#touchedTo = Math.max(end, to)
    if (to > from) {
      try {
        this.#region.advise("populateWrite", from, to - from)
      } catch {
        // A system that does not know this leaves each page to the first store into it.
        this.#touchedTo = this.length
      }
    }
  }

  /** Has the thread pool make the pages behind `end` ready. It may come late, or fail: `#touch` sees to the same. */
  #touchAhead(end: number): void {
    const from = Math.max(this.#touchedTo, end - (end % PAGE_LENGTH))
    const to = Math.min(this.#region.length, from + AHEAD_LENGTH)
    this.#aheadFrom = Number.POSITIVE_INFINITY
    if (to > from) {
      const onTouched = (error: unknown): void => {
        if (error === undefined) {
          this.#touchedTo = Math.max(this.#touchedTo, to)
          this.#aheadFrom = to - AHEAD_LENGTH / 2
        }
      }
      this.#region.preTouch(onTouched, from, to - from)
    }
  }

  sync(): void {
    this.#withDescriptor("sync", (fd) => Files.syncData(fd, this.path))
  }

  syncAsync(_offset: number, _length: number, done: SyncDone): void {
    this.#async("sync", done, (fd, ended) => Files.syncDataAsync(fd, this.path, ended))
  }

  writeAsync(offset: number, source: Uint8Array, done: SyncDone): void {
    this.#async("write", done, (fd, ended) => writeFullyAsync(fd, source, offset, ended))
  }

  #async(operation: string, done: SyncDone, start: (fd: number, ended: Files.Completion) => void): void {
    assertOpen(this.state)
    let fd: number
    try {
      fd = this.#descriptor()
    } catch (error) {
      setImmediate(() => done(toFileFailure(error, operation, this.path)))
      return
    }
    this.#pendingCount++
    start(fd, (error) => {
      this.#pendingCount--
      if (this.state.isClosed && this.#pendingCount === 0) {
        this.#closeDescriptor()
      }
      done(error === undefined ? undefined : toFileFailure(error, operation, this.path))
    })
  }

  warmUp(offset: number, length: number, done: () => void): void {
    const to = Math.min(offset + length, this.#region.length)
    if (offset >= to) {
      setImmediate(done)
      return
    }
    const region = this.#region
    region.preTouch(
      (error) => {
        // A system that cannot do this leaves the pages to the first store.
        if (error === undefined && !region.state.isClosed) {
          this.#keepInMemory(region, offset, to - offset)
        }
        done()
      },
      offset,
      to - offset
    )
  }

  #keepInMemory(region: MappedRegion, offset: number, length: number): void {
    if (this.#isLockRefused) {
      return
    }
    try {
      region.lock(offset, length)
      region.advise("willNeed", offset, length)
    } catch (error) {
      this.#isLockRefused = true
      this.#options.onLockRefused(toFileFailure(error, "lock", this.path))
    }
  }

  coolDown(): void {
    if (!this.#isLockRefused) {
      this.#region.unlock()
    }
  }

  prefetch(offset: number, length: number, done: SyncDone): void {
    assertOpen(this.state)
    const to = Math.min(offset + length, this.#region.length)
    if (this.#beyond !== undefined && offset + length > to) {
      this.#beyond.prefetch(offset, length, done)
    } else if (offset >= to) {
      setImmediate(() => done(undefined))
    } else {
      this.#region.prefetch((error) => done(this.#failureOf(error)), offset, to - offset)
    }
  }

  /** What else may go wrong, as with no memory to spare, is no reason not to read. */
  #failureOf(error: Error | undefined): FileFailure | undefined {
    const isUnreadable = error instanceof NativeError && UNREADABLE.has(error.code)
    const message = `the device does not give what stands in ${this.path}, or the file was cut short`
    return isUnreadable ? new FileFailure({ code: "EIO", operation: "read", path: this.path, message }) : undefined
  }

  clear(offset: number, length: number): void {
    this.#withDescriptor("clear", (fd) => {
      // A hole reads as zeros at once, through the mapping too; without holes the zeros are written.
      if (FileSpace.punchHole(fd, offset, length, this.path)) {
        if (!this.#options.isRandom) {
          FileSpace.reserve(fd, offset, length, this.path)
        }
      } else if (this.#has(offset + length)) {
        this.#window.bytes.fill(0, offset, offset + length)
      } else {
        this.#beyond!.clear(offset, length)
      }
    })
  }

  close(): void {
    if (!this.state.isClosed) {
      this.state.isClosed = true
      this.#region.close()
      this.#beyond?.close()
      if (this.#pendingCount === 0) {
        this.#closeDescriptor()
      }
    }
  }

  /** Whether the mapping reaches to `end`, after it was made to grow. If it does not, `#beyond` is there. */
  #has(end: number): boolean {
    if (end <= this.#mappedLength) {
      return true
    }
    assertOpen(this.state)
    if (this.#beyond !== undefined) {
      return false
    }
    let length = this.#region.length
    while (length < end) {
      length *= GROWTH
    }
    let grown: MappedRegion
    try {
      grown = this.#map(Math.min(this.length, length))
    } catch (error) {
      this.#beyond = this.#options.onRefused(error as FileFailure)
      return false
    }
    this.#region.close()
    this.#region = grown
    this.#mappedLength = grown.length
    this.#window = windowOf(grown)
    return true
  }

  #map(length: number): MappedRegion {
    try {
      const region = this.#options.map(this.path, { length, readOnly: this.#options.readOnly })
      if (this.#options.isRandom) {
        region.advise("random")
      }
      return region
    } catch (error) {
      throw toFileFailure(error, "map", this.path)
    }
  }

  /** The descriptor for syncs stays open while the file is: opening it again could meet another file of this name. */
  #descriptor(): number {
    this.#fd ??= Files.openExisting(this.path, this.#options.readOnly)
    return this.#fd
  }

  #closeDescriptor(): void {
    if (this.#fd !== undefined) {
      Files.close(this.#fd)
      this.#fd = undefined
    }
  }

  #withDescriptor(operation: string, use: (fd: number) => void): void {
    assertOpen(this.state)
    try {
      if (this.#options.isRandom && this.#fd === undefined) {
        const fd = Files.openExisting(this.path, this.#options.readOnly)
        try {
          use(fd)
        } finally {
          Files.close(fd)
        }
      } else {
        use(this.#descriptor())
      }
    } catch (error) {
      throw toFileFailure(error, operation, this.path)
    }
  }
}

const windowOf = (region: MappedRegion): FileWindow => {
  const { bytes, view } = region.buffer()
  return { bytes, view, base: 0 }
}
