/**
 * Owned memory for the records of one read: they are copied behind each other into one buffer, which is made anew for
 * each read, so that whoever keeps a message keeps bytes that nobody writes. Short records of reads that expect few of
 * them lie in a block that such reads share, each in bytes of its own: a buffer for each was a fifth of a key query.
 */
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"

/** However much a reader asks for: its records may be few. */
const LENGTH_MAX = 1024 * 1024

/** Who keeps one short record keeps its block. */
const BLOCK_LENGTH = 16 * 1024
const SHORT_LENGTH_MAX = 1024

export class Slab {
  /** Of the next window: each is twice as long as the one before, so that a guess that was short costs little. */
  #windowLength: number
  /** Made with the first copy: most reads of who waits for messages find none. */
  #window: FileWindow | undefined = undefined
  #used = 0
  readonly #isShort: boolean

  constructor(lengthHint: number) {
    this.#isShort = lengthHint <= SHORT_LENGTH_MAX
    this.#windowLength = Math.min(LENGTH_MAX, lengthHint)
  }

  /** A cursor over an owned copy of the record. */
  copy(record: RecordCursor): RecordCursor {
    const length = record.totalSize
    if (this.#isShort && length <= SHORT_LENGTH_MAX) {
      return copyToBlock(record, length)
    }
    let window = this.#window
    if (window === undefined || this.#used + length > window.bytes.length) {
      window = windowOf(Math.max(length, this.#windowLength))
      this.#window = window
      this.#windowLength = Math.min(LENGTH_MAX, 2 * window.bytes.length)
      this.#used = 0
    }
    const copy = copyTo(window, this.#used, record, length)
    this.#used += length
    return copy
  }
}

const copyTo = (window: FileWindow, at: number, record: RecordCursor, length: number): RecordCursor => {
  window.bytes.set(record.bytes.subarray(record.at, record.at + length), at)
  return new RecordCursor().wrapCopy(window, at, record)
}

let block: FileWindow | undefined = undefined
let blockUsed = 0

const copyToBlock = (record: RecordCursor, length: number): RecordCursor => {
  if (block === undefined || blockUsed + length > BLOCK_LENGTH) {
    block = windowOf(BLOCK_LENGTH)
    blockUsed = 0
  }
  const copy = copyTo(block, blockUsed, record, length)
  blockUsed += length
  return copy
}

const windowOf = (length: number): FileWindow => {
  const bytes = new Uint8Array(length)
  return { bytes, view: new DataView(bytes.buffer), base: 0 }
}
