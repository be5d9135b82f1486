/**
 * A store's file that is read and written by position, for devices and systems where files cannot be mapped. What was
 * written stands in the page cache at once, as with a mapping, and so outlives the process.
 *
 * A read brings a block of the file into memory of its own; the last block is kept, because readers of a log ask for one
 * record behind the other, and is changed with the file. A file that another process writes is read anew each time.
 */
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as Files from "@millrace/core/kernel/native/Files"
import { assert } from "@millrace/core/kernel/memory/Assert"
import { assertOpen, type RegionState } from "@millrace/core/kernel/memory/RegionState"
import * as fs from "node:fs"
import { FileFailure, type FileWindow, type StoreFile, type SyncDone } from "../mapped/FileSystem.ts"
import type { DescriptorCache } from "./descriptorCache.ts"
import { writeFully, writeFullyAsync } from "./descriptorWrites.ts"
import { toFileFailure } from "./fileFailure.ts"

const SEQUENTIAL_BLOCK_LENGTH = 64 * 1024
const RANDOM_BLOCK_LENGTH = 4 * 1024
const ZEROS = new Uint8Array(64 * 1024)

export interface PositionalStoreFileOptions {
  /** Entries are read and written here and there. */
  readonly isRandom: boolean
  readonly readOnly: boolean
  /** Where descriptors are shared out; a file without one keeps its own open. */
  readonly descriptors: DescriptorCache | undefined
}

export class PositionalStoreFile implements StoreFile {
  readonly path: string
  readonly length: number
  readonly state: RegionState
  readonly #options: PositionalStoreFileOptions
  readonly #blockLength: number
  #block: FileWindow | undefined = undefined
  #claimed: FileWindow | undefined = undefined
  #fd: number | undefined = undefined
  #pendingCount = 0

  constructor(path: string, length: number, options: PositionalStoreFileOptions) {
    this.path = path
    this.length = length
    this.state = { name: path, isClosed: false }
    this.#options = options
    this.#blockLength = options.isRandom ? RANDOM_BLOCK_LENGTH : SEQUENTIAL_BLOCK_LENGTH
    const found = this.#attempt("open", (fd) => Files.lengthOf(fd, path))
    if (found < length) {
      this.close()
      throw new FileFailure({
        code: "EINVAL",
        operation: "open",
        path,
        message: `${path} has ${found} bytes instead of ${length}: it was cut short, or is still being made`
      })
    }
  }

  read(offset: number, length: number): FileWindow {
    assertOpen(this.state)
    const block = this.#block
    if (block !== undefined && offset >= block.base && offset + length <= block.base + block.bytes.length) {
      return block
    }
    const { readOnly } = this.#options
    const from = readOnly ? offset : offset - (offset % this.#blockLength)
    const to = readOnly ? offset + length : Math.min(this.length, Math.max(offset + length, from + this.#blockLength))
    const window = windowOf(from, to - from)
    this.#attempt("read", (fd) => readFully(fd, this.path, window))
    // A long record is not worth keeping: whoever reads on asks for what stands behind it.
    this.#block = readOnly || window.bytes.length > this.#blockLength ? undefined : window
    return window
  }

  claim(offset: number, length: number): FileWindow {
    assertOpen(this.state)
    this.#claimed = windowOf(offset, length)
    return this.#claimed
  }

  publish(offset: number, length: number): void {
    const claimed = this.#claimed
    assert(claimed !== undefined && claimed.base === offset, "published what was not claimed")
    this.#claimed = undefined
    this.write(offset, claimed.bytes, length)
  }

  write(offset: number, source: Uint8Array, length: number): void {
    assertOpen(this.state)
    try {
      this.#attempt("write", (fd) => writeFully(fd, source, offset, length))
    } catch (error) {
      // It may have got half way.
      this.#block = undefined
      throw error
    }
    this.#changeBlock(offset, source, length)
  }

  /** Brings the bytes written at `offset` into the block that is kept, as far as it shows them. */
  #changeBlock(offset: number, source: Uint8Array, length: number): void {
    const block = this.#block
    if (block !== undefined) {
      const from = Math.max(offset, block.base)
      const to = Math.min(offset + length, block.base + block.bytes.length)
      if (from < to) {
        block.bytes.set(source.subarray(from - offset, to - offset), from - block.base)
      }
    }
  }

  reserve(offset: number, length: number): void {
    this.#attempt("reserve", (fd) => FileSpace.reserve(fd, offset, length, this.path))
  }

  sync(): void {
    this.#attempt("sync", (fd) => Files.syncData(fd, this.path))
  }

  syncAsync(_offset: number, _length: number, done: SyncDone): void {
    this.#async("sync", done, (fd, ended) => Files.syncDataAsync(fd, this.path, ended))
  }

  writeAsync(offset: number, source: Uint8Array, done: SyncDone): void {
    const written: SyncDone = (failure) => {
      this.#block = undefined
      done(failure)
    }
    this.#async("write", written, (fd, ended) => writeFullyAsync(fd, source, offset, ended))
  }

  #async(operation: string, done: SyncDone, start: (fd: number, ended: Files.Completion) => void): void {
    assertOpen(this.state)
    const isShared = this.#options.descriptors !== undefined
    let fd: number
    try {
      fd = isShared ? Files.openExisting(this.path, this.#options.readOnly) : this.#ownDescriptor()
    } catch (error) {
      setImmediate(() => done(toFileFailure(error, operation, this.path)))
      return
    }
    this.#pendingCount++
    start(fd, (error) => {
      this.#pendingCount--
      if (isShared) {
        Files.close(fd)
      } else if (this.state.isClosed && this.#pendingCount === 0) {
        this.#closeDescriptor()
      }
      done(error === undefined ? undefined : toFileFailure(error, operation, this.path))
    })
  }

  warmUp(_offset: number, _length: number, done: () => void): void {
    setImmediate(done)
  }

  coolDown(): void {
    // The page cache belongs to the system.
  }

  /** Reads into the page cache: the read that follows waits for no device. */
  prefetch(offset: number, length: number, done: SyncDone): void {
    const bytes = new Uint8Array(length)
    this.#async("read", done, (fd, ended) =>
      fs.read(fd, bytes, 0, length, offset, (error) => ended(error ?? undefined))
    )
  }

  clear(offset: number, length: number): void {
    this.#block = undefined
    this.#attempt("clear", (fd) => {
      if (FileSpace.punchHole(fd, offset, length, this.path)) {
        if (!this.#options.isRandom) {
          FileSpace.reserve(fd, offset, length, this.path)
        }
        return
      }
      for (let at = offset; at < offset + length; at += ZEROS.length) {
        writeFully(fd, ZEROS, at, Math.min(ZEROS.length, offset + length - at))
      }
    })
  }

  close(): void {
    if (!this.state.isClosed) {
      this.state.isClosed = true
      this.#block = undefined
      this.#options.descriptors?.close(this.path)
      if (this.#pendingCount === 0) {
        this.#closeDescriptor()
      }
    }
  }

  #attempt<A>(operation: string, use: (fd: number) => A): A {
    assertOpen(this.state)
    try {
      const { descriptors, readOnly } = this.#options
      return use(descriptors === undefined ? this.#ownDescriptor() : descriptors.descriptorOf(this.path, readOnly))
    } catch (error) {
      throw toFileFailure(error, operation, this.path)
    }
  }

  #ownDescriptor(): number {
    this.#fd ??= Files.openExisting(this.path, this.#options.readOnly)
    return this.#fd
  }

  #closeDescriptor(): void {
    if (this.#fd !== undefined) {
      Files.close(this.#fd)
      this.#fd = undefined
    }
  }
}

const windowOf = (base: number, length: number): FileWindow => {
  const bytes = new Uint8Array(length)
  return { bytes, view: new DataView(bytes.buffer), base }
}

const readFully = (fd: number, path: string, { base, bytes }: FileWindow): void => {
  for (let done = 0; done < bytes.length;) {
    const count = fs.readSync(fd, bytes, done, bytes.length - done, base + done)
    if (count === 0) {
      const message = `${path} ends at ${base + done}: it was cut short while it was open`
      throw new FileFailure({ code: "EIO", operation: "read", path, message })
    }
    done += count
  }
}
