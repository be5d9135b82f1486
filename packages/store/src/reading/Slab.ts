/**
 * Owned memory for records that are read: copies lie behind each other in blocks that reads share, each in bytes of its
 * own, so that whoever keeps a message keeps bytes that nobody writes. A buffer for each read of 32 short messages was a
 * seventh of the read.
 */
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"

/** Who keeps one short record keeps its block. */
const BLOCK_LENGTH = 32 * 1024
/** Longer records have memory of their own: what is left of a block is lost when the next one is begun. */
const SHORT_LENGTH_MAX = 4 * 1024

/** Memory that nobody else has, whatever stands in it. */
type Allocate = (length: number) => Uint8Array

export class Slab {
  readonly #allocate: Allocate
  #block: FileWindow | undefined = undefined
  #used = 0
  /** Where the last copy lies. */
  window: FileWindow = { bytes: new Uint8Array(0), view: new DataView(new ArrayBuffer(0)), base: 0 }

  constructor(allocate: Allocate) {
    this.#allocate = allocate
  }

  /** Copies a record into `window` and returns its offset there. */
  copy({ at, bytes, totalSize }: RecordCursor): number {
    const start = this.#place(totalSize)
    this.window.bytes.set(bytes.subarray(at, at + totalSize), start)
    return start
  }

  #place(length: number): number {
    if (length > SHORT_LENGTH_MAX) {
      this.window = this.#make(length)
      return 0
    }
    if (this.#block === undefined || this.#used + length > BLOCK_LENGTH) {
      this.#block = this.#make(BLOCK_LENGTH)
      this.#used = 0
    }
    const start = this.#used
    this.#used = start + length
    this.window = this.#block
    return start
  }

  #make(length: number): FileWindow {
    const bytes = this.#allocate(length)
    return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, length), base: 0 }
  }
}
