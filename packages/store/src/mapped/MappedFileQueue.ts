/**
 * A queue of files of one length, each named by the position of its first byte. Positions only grow; a file is found by
 * arithmetic, not by search. They may lie in several directories.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"
import { ColdBytes } from "./ColdBytes.ts"
import { Directories } from "./Directories.ts"
import * as FileLength from "./FileLength.ts"
import * as FileNaming from "./FileNaming.ts"
import * as FileRemains from "./FileRemains.ts"
import type { FoundFile } from "./FileRemains.ts"
import { FilesAhead } from "./FilesAhead.ts"
import { FileFailure, type FileSystem, type FileUse, join, parentOf } from "./FileSystem.ts"
import { MappedFile } from "./MappedFile.ts"
import { NO_BUFFER, type TransientStorePool } from "./TransientStorePool.ts"
import type { UnsyncedNames } from "./UnsyncedNames.ts"

const PAGE_LENGTH = 4096
/** The next file and the one behind it, as RocketMQ has them. */
const FILES_AHEAD = 2
/** With less free room than for this many files the oldest are removed by force; one more is made. */
const ROOM_FILES = 5

export interface MappedFileQueueOptions {
  readonly fileSystem: FileSystem
  readonly directories: ReadonlyArray<string>
  readonly fileLength: number
  readonly use: FileUse
  /** Bytes of a file that get disk blocks at a time; 0 reserves a file whole: when it is made, or before it is written on. */
  readonly reserveStep: number
  readonly readOnly: boolean
  /** Whether `fileLength` is only a guess, of who reads: that of the first files that are seen counts. */
  readonly isLengthGuessed?: boolean | undefined
  /** Where the directory of the first file is noted instead of being synced at once. */
  readonly unsynced?: UnsyncedNames | undefined
  /** Buffers that new files are written into before they are committed. */
  readonly pool?: TransientStorePool | undefined
}

/** Files in a queue's directory that cannot be its own. */
export class ForeignFile extends Error {
  readonly _tag = "ForeignFile"
  readonly path: string
  readonly reason: string

  constructor(path: string, reason: string) {
    super(`${path} does not belong to this store: ${reason}`)
    this.path = path
    this.reason = reason
  }
}

export class MappedFileQueue {
  fileLength: number
  readonly files: Array<MappedFile> = []
  readonly #options: MappedFileQueueOptions
  readonly #ahead: FilesAhead
  /** Whether the queue has gone from one file to the next since it was opened. */
  #hasRolled = false
  /** Files with bytes in a buffer of the pool, the oldest first. */
  readonly #buffered: Array<MappedFile> = []
  /** Where files are made. */
  readonly directories: Directories
  /** What may not be in memory. */
  readonly cold: ColdBytes = new ColdBytes()
  /** Everything before this position is on the device. */
  flushedWhere: number = 0

  constructor(options: MappedFileQueueOptions) {
    assert(options.directories.length > 0, "a mapped queue without a directory")
    this.fileLength = options.fileLength
    this.#options = options
    this.directories = new Directories(options.directories)
    this.#ahead = new FilesAhead(options, this.directories)
  }

  /** Opens the files that are there, all or none. All count as written to their end; recovery lowers that. */
  load(): void {
    try {
      for (const { length, path, position } of this.#withoutRemains(this.#found())) {
        if (length !== this.fileLength) {
          throw new ForeignFile(path, `it has ${length} bytes, files of this queue have ${this.fileLength}`)
        }
        if (position % this.fileLength !== 0) {
          throw new ForeignFile(path, `no file of ${this.fileLength} bytes begins at ${position}`)
        }
        this.#open(path, position)
      }
    } catch (error) {
      for (const file of this.files.splice(0)) {
        file.close()
      }
      throw error
    }
  }

  /**
   * Sees what another process has changed: lets go of the files that it has removed, and opens those that it has added
   * behind, which count as not written.
   */
  refresh(): void {
    const found = this.#found()
    const begin = found[0]?.position ?? 0
    for (let first = this.firstFile; first !== undefined && first.fromOffset < begin; first = this.firstFile) {
      first.close()
      this.files.shift()
    }
    for (const { length, path, position } of found) {
      const last = this.lastFile
      const isNext =
        last === undefined ? position % this.fileLength === 0 : position === last.fromOffset + this.fileLength
      if (isNext && length === this.fileLength) {
        this.#open(path, position)
        this.lastFile!.wrotePosition = 0
      }
    }
  }

  /** Whether another process has removed the first file. */
  get isFirstGone(): boolean {
    const first = this.firstFile
    return first !== undefined && !this.#options.fileSystem.exists(first.file.path)
  }

  #open(path: string, position: number): void {
    const { fileSystem, readOnly, reserveStep, use } = this.#options
    const last = this.lastFile
    if (last !== undefined && position !== last.fromOffset + this.fileLength) {
      throw new ForeignFile(path, `the file before it ends at ${last.fromOffset + this.fileLength}`)
    }
    const file = new MappedFile(fileSystem.open(path, this.fileLength, use, readOnly), position, reserveStep, 0)
    file.wrotePosition = this.fileLength
    file.flushedPosition = this.fileLength
    this.files.push(file)
  }

  /** The files in the directories, by position, without those that never got their length. */
  #found(): ReadonlyArray<FoundFile> {
    const { directories, fileSystem, isLengthGuessed, readOnly } = this.#options
    const found = directories.flatMap((directory) => this.#list(directory))
    if (isLengthGuessed === true && this.files.length === 0) {
      this.fileLength = FileLength.of(found) ?? this.fileLength
    }
    found.sort((a, b) => a.position - b.position)
    // A file gets its length right after its name, so a crash between the two leaves empty files at the end.
    while (found.length > 0 && found.at(-1)!.length === 0) {
      const empty = found.pop()!
      if (!readOnly) {
        fileSystem.remove(empty.path)
      }
    }
    return found
  }

  /** Leaves out, and removes, files behind a gap that were never written. */
  #withoutRemains(found: ReadonlyArray<FoundFile>): ReadonlyArray<FoundFile> {
    const { fileSystem, readOnly, use } = this.#options
    const gap = FileRemains.firstBehindGap(found, this.fileLength)
    const behind = gap < 0 ? [] : found.slice(gap)
    if (gap < 0 || !FileRemains.areUnwritten(fileSystem, use, behind, this.fileLength)) {
      return found
    }
    for (const { path } of readOnly ? [] : behind) {
      fileSystem.remove(path)
    }
    return found.slice(0, gap)
  }

  #list(directory: string): Array<FoundFile> {
    const entries = this.#options.fileSystem.entries(directory) ?? []
    return entries
      .filter((entry) => !entry.isDirectory)
      .map((entry) => {
        const path = join(directory, entry.name)
        const position = FileNaming.parse(entry.name)
        if (position < 0) {
          throw new ForeignFile(path, "its name is not a position of 20 digits")
        }
        return { path, position, length: entry.length }
      })
  }

  /** From here on all that is added is written by this process, and so in memory. */
  onWriting(): void {
    this.cold.writtenFrom = this.maxOffset
  }

  get firstFile(): MappedFile | undefined {
    return this.files[0]
  }

  get lastFile(): MappedFile | undefined {
    return this.files[this.files.length - 1]
  }

  /** Position of the first byte that is kept. */
  get minOffset(): number {
    return this.files.length === 0 ? 0 : this.files[0]!.fromOffset
  }

  /** Position behind the last byte written. */
  get maxOffset(): number {
    for (let index = this.files.length - 1; index > 0; index--) {
      // Only a reader beside another process has files that are not begun.
      const file = this.files[index]!
      if (file.wrotePosition > 0) {
        return file.fromOffset + file.wrotePosition
      }
    }
    const first = this.files[0]
    return first === undefined ? 0 : first.fromOffset + first.wrotePosition
  }

  /** Position behind the last byte that can be read: what is only in a buffer of the pool cannot. */
  get readableEnd(): number {
    const oldest = this.#buffered[0]
    return oldest === undefined ? this.maxOffset : oldest.fromOffset + oldest.readableEnd
  }

  /** The file that holds `position`, or undefined where it is not (or no longer) kept. */
  find(position: number): MappedFile | undefined {
    const first = this.files[0]
    if (first === undefined || position < first.fromOffset) {
      return undefined
    }
    return this.files[Math.floor((position - first.fromOffset) / this.fileLength)]
  }

  /** The file to write `position` to: the last one, or a new one behind it. Throws `FileFailure`. */
  fileForAppend(position: number): MappedFile {
    const last = this.lastFile
    if (last !== undefined && !last.isFull) {
      // Other programs leave holes; a store into one on a full device would end the process.
      last.reserveNext()
      return last
    }
    const buffer = this.#lendBuffer()
    let file: MappedFile
    try {
      file = this.#ahead.take(this.#nextStart(position), last === undefined)
    } catch (error) {
      if (buffer !== undefined) {
        this.#options.pool?.giveBack(buffer)
      }
      throw error
    }
    this.#hasRolled = last !== undefined
    this.files.push(file)
    if (buffer !== undefined) {
      file.useBuffer(buffer)
      this.#buffered.push(file)
    }
    return file
  }

  /** A buffer for the next file; undefined where files are written without. Throws `FileFailure`. */
  #lendBuffer(): Uint8Array | undefined {
    this.#refuseWithoutBuffer()
    return this.#options.pool?.borrow()
  }

  #refuseWithoutBuffer(): void {
    const { directories, pool } = this.#options
    if (pool?.isFastFailing === true && pool.availableCount === 0) {
      const message = `all ${pool.size} buffers of the transient pool hold bytes that are not in the files yet`
      throw new FileFailure({ code: NO_BUFFER, operation: "create", path: directories[0]!, message })
    }
  }

  /** Start of the file behind the last one; of the one that holds `position` where there is none yet. */
  #nextStart(position: number): number {
    const last = this.lastFile
    return last === undefined ? FileNaming.startOf(position, this.fileLength) : last.fromOffset + this.fileLength
  }

  /**
   * The first file that has bytes to flush, or undefined. A file qualifies with `leastPages` dirty pages (counted by page
   * number, as RocketMQ does), when it is full, or with any dirty byte where `leastPages` is 0.
   */
  fileToFlush(leastPages: number): MappedFile | undefined {
    // A queue may begin anywhere, and what is gone needs no flush.
    this.flushedWhere = Math.max(this.flushedWhere, this.minOffset)
    for (let file = this.find(this.flushedWhere); file !== undefined; file = this.find(this.flushedWhere)) {
      const { flushedPosition, readableEnd } = file
      const isFull = readableEnd === this.fileLength
      if (flushedPosition < readableEnd) {
        return isFull || leastPages === 0 || pagesBetween(flushedPosition, readableEnd) >= leastPages ? file : undefined
      }
      if (!isFull) {
        return undefined
      }
      this.flushedWhere = file.fromOffset + this.fileLength
    }
    return undefined
  }

  /** The oldest file with bytes to commit, or undefined; it qualifies as for a flush. */
  fileToCommit(leastPages: number): MappedFile | undefined {
    const oldest = this.#buffered[0]
    if (oldest === undefined || oldest.readableEnd === oldest.wrotePosition) {
      return undefined
    }
    const isWorth = oldest.isFull || leastPages === 0
    return isWorth || pagesBetween(oldest.readableEnd, oldest.wrotePosition) >= leastPages ? oldest : undefined
  }

  /** Takes the buffer of a file that is committed to its end: the next file may need it. */
  onCommitted(file: MappedFile): void {
    if (file.readableEnd === this.fileLength) {
      assert(file === this.#buffered[0], "files are committed in order")
      this.#buffered.shift()
      this.#giveBack(file)
    }
  }

  /** Brings all that is in buffers to the files. Throws `FileFailure`. */
  commitAll(): void {
    for (let file = this.#buffered[0]; file !== undefined; file = this.#buffered[0]) {
      file.commit()
      this.#buffered.shift()
      this.#giveBack(file)
    }
  }

  #giveBack(file: MappedFile): void {
    const buffer = file.takeBuffer()
    if (buffer !== undefined) {
      this.#options.pool?.giveBack(buffer)
    }
  }

  /** Notes that a file is on the device up to `offset`. */
  onFlushed(file: MappedFile, offset: number): void {
    file.flushedPosition = Math.max(file.flushedPosition, offset)
    this.flushedWhere = Math.max(this.flushedWhere, file.fromOffset + offset)
  }

  /** Takes everything from `position` on for not flushed, whatever was thought before. */
  markUnflushed(position: number): void {
    for (const file of this.files) {
      file.flushedPosition = Math.max(0, Math.min(file.flushedPosition, position - file.fromOffset))
    }
    this.flushedWhere = Math.min(this.flushedWhere, Math.max(position, this.minOffset))
  }

  /**
   * Writes what counts as not flushed again as it is. After a sync that failed the system takes pages for clean that are
   * not on the device, and no later sync would bring them. Yields positions, between which it is short.
   */
  *rewriteUnflushed(): Generator<number, void> {
    for (const file of this.files) {
      yield* file.rewrite(file.flushedPosition, file.wrotePosition)
    }
  }

  /**
   * Whether a file should be made now, off the path of puts: there are to be two ahead once the last file is more than half
   * full, and from then on. A store that is hardly used takes no room for them.
   */
  get wantsFileAhead(): boolean {
    const last = this.lastFile
    const isGrowing = last !== undefined && (this.#hasRolled || last.wrotePosition * 2 > this.fileLength)
    return isGrowing && !this.#ahead.isMaking && this.#ahead.count < FILES_AHEAD
  }

  /**
   * Whether the device has room for a file ahead. For the first one nobody asks: it is needed soon. A second one must not
   * be what makes cleaning remove messages before their time. Throws `FileFailure`.
   */
  get hasRoomAhead(): boolean {
    const { fileSystem } = this.#options
    return this.#ahead.count === 0 || fileSystem.space(this.#nextDirectory).freeBytes > ROOM_FILES * this.fileLength
  }

  /** Where the next file ahead is to be made. */
  get #nextDirectory(): string {
    return this.directories.of(this.#nextStart(this.maxOffset) / this.fileLength + this.#ahead.count)
  }

  /** Whether a file is being made in the background; a queue is closed after that. */
  get isMaking(): boolean {
    return this.#ahead.isMaking
  }

  /** Begins to make a file ahead of need. Throws `FileFailure`. */
  startAhead(done: (failure: FileFailure | undefined, file: MappedFile | undefined) => void): void {
    this.#ahead.start(this.#nextStart(this.maxOffset), done)
  }

  /** Makes the next file now, where that has not been done: what follows must not fail for want of it. Throws `FileFailure`. */
  createAhead(): void {
    this.#refuseWithoutBuffer()
    this.#ahead.prepare(this.#nextStart(this.maxOffset))
  }

  /** Ends the queue at `position`: files behind it are removed, the one that holds it is written up to there. */
  truncate(position: number): void {
    for (let last = this.lastFile; last !== undefined && last.fromOffset >= position; last = this.lastFile) {
      if (last.fromOffset === position && this.files.length === 1) {
        break
      }
      this.#destroy(last)
    }
    const last = this.lastFile
    if (last !== undefined && position < last.fromOffset + this.fileLength) {
      const offset = Math.max(0, position - last.fromOffset)
      last.wrotePosition = offset
      last.flushedPosition = Math.min(last.flushedPosition, offset)
    }
    this.flushedWhere = Math.min(this.flushedWhere, position)
  }

  /** Notes how far the queue is written, without changing a file: for who only reads. */
  setEnd(position: number): void {
    for (const file of this.files) {
      file.wrotePosition = Math.max(0, Math.min(this.fileLength, position - file.fromOffset))
    }
    this.flushedWhere = position
  }

  /** Removes the first file; one that cannot be removed stays a part of the queue. Throws `FileFailure`. */
  removeFirst(): void {
    const first = this.firstFile
    assert(first !== undefined, "no file to remove")
    this.#destroy(first)
  }

  /** Gone for good before the next one goes: of several, a failure of power would bring back any, and leave a gap. */
  #destroy(file: MappedFile): void {
    const { fileSystem } = this.#options
    fileSystem.remove(file.file.path)
    this.files.splice(this.files.indexOf(file), 1)
    file.close()
    fileSystem.syncDirectory(parentOf(file.file.path))
  }

  close(): void {
    this.#ahead.discard()
    for (const file of this.files) {
      file.close()
    }
  }
}

/** Pages are counted by their number, as RocketMQ does. */
const pagesBetween = (from: number, to: number): number => Math.floor(to / PAGE_LENGTH) - Math.floor(from / PAGE_LENGTH)
