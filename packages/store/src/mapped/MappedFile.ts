/**
 * One file of a mapped queue and how far it has come: written, then (with a buffer of the transient pool) committed, then
 * flushed. Readers see what is committed. Memory of the file is only borrowed for a step of the store: what a reader is to
 * keep is copied before a later step can close the file.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"
import { assertOpen } from "@millrace/core/kernel/memory/RegionState"
import type { FileWindow, StoreFile, SyncDone } from "./FileSystem.ts"

const PAGE_LENGTH = 4096
/** Bytes that are written again in one step. */
const REWRITE_LENGTH = 1024 * 1024

export class MappedFile {
  readonly file: StoreFile
  /** Position of the file's first byte in its queue. */
  readonly fromOffset: number
  readonly length: number
  readonly #reserveStep: number
  #wrotePosition = 0
  #flushedPosition = 0
  #reservedTo: number
  /** Where this file is written until it is committed, as a window of all of it. */
  #buffer: FileWindow | undefined = undefined
  #committedPosition = 0
  /** End of what was written into the buffer: behind a blank there is nothing to commit. */
  #bufferedEnd = 0

  /** `reserveStep` 0 takes the blocks of all that is left of the file at once; up to `reservedTo` it has them. */
  constructor(file: StoreFile, fromOffset: number, reserveStep: number, reservedTo: number) {
    this.file = file
    this.fromOffset = fromOffset
    this.length = file.length
    this.#reserveStep = reserveStep === 0 ? file.length : reserveStep
    this.#reservedTo = reservedTo
  }

  /** Offset of the next byte to write. */
  get wrotePosition(): number {
    return this.#wrotePosition
  }

  set wrotePosition(offset: number) {
    assert(offset >= 0 && offset <= this.length, "write position outside its file")
    this.#wrotePosition = offset
  }

  get flushedPosition(): number {
    return this.#flushedPosition
  }

  set flushedPosition(offset: number) {
    assert(offset >= 0 && offset <= this.length, "flushed position outside its file")
    this.#flushedPosition = offset
  }

  /** Offset behind the last byte that can be read. */
  get readableEnd(): number {
    return this.#buffer === undefined ? this.#wrotePosition : this.#committedPosition
  }

  get isFull(): boolean {
    return this.#wrotePosition === this.length
  }

  /**
   * Memory for `length` bytes at `offset`, with disk blocks behind it: what is written there counts with `publish`. Throws
   * `FileFailure` where there are none.
   */
  claim(offset: number, length: number): FileWindow {
    this.reserve(offset, length)
    return this.#buffer ?? this.file.claim(offset, length)
  }

  publish(offset: number, length: number): void {
    if (this.#buffer === undefined) {
      this.file.publish(offset, length)
    } else {
      this.#bufferedEnd = Math.max(this.#bufferedEnd, offset + length)
    }
  }

  /** Sees to it that `length` bytes at `offset` have disk blocks. Throws `FileFailure` where there are none. */
  reserve(offset: number, length: number): void {
    assertOpen(this.file.state)
    assert(offset >= 0 && offset + length <= this.length, "claim reaches outside its file")
    if (offset + length > this.#reservedTo) {
      this.#reserve(offset, offset + length)
    }
  }

  /** Writes `source[0..length)` at `offset`. Throws `FileFailure`. */
  write(offset: number, source: Uint8Array, length: number): void {
    this.reserve(offset, length)
    if (this.#buffer === undefined) {
      this.file.write(offset, source, length)
    } else {
      this.#buffer.bytes.set(source.subarray(0, length), offset)
      this.#bufferedEnd = Math.max(this.#bufferedEnd, offset + length)
    }
  }

  /** Writes the bytes from `start` to `end` again as they are, which makes their pages dirty. Throws `FileFailure`. */
  *rewrite(start: number, end: number): Generator<number, void> {
    for (let offset = start; offset < end; offset += REWRITE_LENGTH) {
      const length = Math.min(REWRITE_LENGTH, end - offset)
      const { base, bytes } = this.file.read(offset, length)
      this.write(offset, bytes.subarray(offset - base, offset - base + length), length)
      yield this.fromOffset + offset
    }
  }

  /** Writes up to `lengthMax` of the bytes that are not committed to the file, off this thread. */
  commitAsync(lengthMax: number, done: SyncDone): void {
    const bytes = this.#uncommitted(lengthMax)
    const end = this.#committedPosition + bytes.length
    const isAll = end === this.#bufferedEnd
    const wrotePosition = this.#wrotePosition
    this.file.writeAsync(this.#committedPosition, bytes, (failure) => {
      if (failure === undefined) {
        this.#committedPosition = isAll ? wrotePosition : end
      }
      done(failure)
    })
  }

  /** The same at once, with all of them. Throws `FileFailure`. */
  commit(): void {
    const bytes = this.#uncommitted(this.length)
    this.file.write(this.#committedPosition, bytes, bytes.length)
    this.#committedPosition = this.#wrotePosition
  }

  #uncommitted(lengthMax: number): Uint8Array {
    assert(this.#buffer !== undefined, "a file without a buffer is committed")
    const from = this.#committedPosition
    return this.#buffer.bytes.subarray(from, Math.min(this.#bufferedEnd, from + lengthMax))
  }

  /** Has the file, which is empty, written into `bytes` first. */
  useBuffer(bytes: Uint8Array): void {
    assert(this.#wrotePosition === 0 && bytes.length === this.length, "a buffer for a file that is begun")
    this.#buffer = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), base: 0 }
  }

  /** Takes the buffer from a file that is read and written like any other from now on. */
  takeBuffer(): Uint8Array | undefined {
    const buffer = this.#buffer
    this.#buffer = undefined
    return buffer?.bytes
  }

  read(offset: number, length: number): FileWindow {
    assertOpen(this.file.state)
    assert(offset >= 0 && offset + length <= this.length, "read reaches outside its file")
    return this.file.read(offset, length)
  }

  /** Sees to it that the next byte to be written has a disk block. Throws `FileFailure` where there is none. */
  reserveNext(): void {
    if (this.#wrotePosition >= this.#reservedTo && !this.isFull) {
      this.#reserve(this.#wrotePosition, this.#wrotePosition + 1)
    }
  }

  #reserve(offset: number, end: number): void {
    // The first blocks of a file come one by one: most files of most queues stay nearly empty.
    const step =
      this.#reserveStep === this.length
        ? this.length
        : Math.min(this.#reserveStep, Math.max(PAGE_LENGTH, this.#reservedTo))
    const start = Math.max(this.#reservedTo, offset - (offset % step))
    const to = Math.min(this.length, end + step - (end % step))
    this.file.reserve(start, to - start)
    this.#reservedTo = to
  }

  close(): void {
    this.file.close()
  }
}
