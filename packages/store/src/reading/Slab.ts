/**
 * Owned memory for the records of one read: they are copied behind each other into one buffer, which is made anew for
 * each read, so that whoever keeps a message keeps bytes that nobody writes.
 */
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"

/** However much a reader asks for: its records may be few. */
const LENGTH_MAX = 1024 * 1024

export class Slab {
  /** Of the next window: each is twice as long as the one before, so that a guess that was short costs little. */
  #windowLength: number
  /** Made with the first copy: most reads of who waits for messages find none. */
  #window: FileWindow | undefined = undefined
  #used = 0

  constructor(lengthHint: number) {
    this.#windowLength = Math.min(LENGTH_MAX, lengthHint)
  }

  /** A cursor over an owned copy of the record. */
  copy(record: RecordCursor): RecordCursor {
    const length = record.totalSize
    let window = this.#window
    if (window === undefined || this.#used + length > window.bytes.length) {
      window = windowOf(Math.max(length, this.#windowLength))
      this.#window = window
      this.#windowLength = Math.min(LENGTH_MAX, 2 * window.bytes.length)
      this.#used = 0
    }
    window.bytes.set(record.bytes.subarray(record.at, record.at + length), this.#used)
    const copy = new RecordCursor().wrap(window, this.#used)
    this.#used += length
    return copy
  }
}

const windowOf = (length: number): FileWindow => {
  const bytes = new Uint8Array(length)
  return { bytes, view: new DataView(bytes.buffer), base: 0 }
}
