/**
 * Owned memory for the records of one read: they are copied behind each other into one buffer, which is made anew for
 * each read, so that whoever keeps a message keeps bytes that nobody writes.
 */
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"

const LENGTH_MIN = 4 * 1024

export class Slab {
  #window: FileWindow
  #used = 0

  constructor(lengthHint: number) {
    this.#window = windowOf(Math.max(LENGTH_MIN, lengthHint))
  }

  /** A cursor over an owned copy of the record. */
  copy(record: RecordCursor): RecordCursor {
    const length = record.totalSize
    if (this.#used + length > this.#window.bytes.length) {
      this.#window = windowOf(Math.max(length, this.#window.bytes.length))
      this.#used = 0
    }
    this.#window.bytes.set(record.bytes.subarray(record.at, record.at + length), this.#used)
    const copy = new RecordCursor().wrap(this.#window, this.#used)
    this.#used += length
    return copy
  }
}

const windowOf = (length: number): FileWindow => {
  const bytes = new Uint8Array(length)
  return { bytes, view: new DataView(bytes.buffer), base: 0 }
}
