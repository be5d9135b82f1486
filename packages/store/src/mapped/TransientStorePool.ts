/**
 * Memory for files of the log that are being written, where `transientStorePoolEnable` is set: puts go there, and from
 * there to the files in runs, off the path of puts. A put then never waits for a page of a mapping that the device has
 * at that moment; what a crash of the process takes is what was not committed to the files yet.
 *
 * One buffer stands for one file. A file gives its buffer back when all of it is committed.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"

/** The code of the failure to make a file for which there is no buffer. */
export const NO_BUFFER = "ENOBUFS"

export class TransientStorePool {
  readonly size: number
  /** Whether a file that finds no buffer is refused instead of being written without one. */
  readonly isFastFailing: boolean
  readonly #bufferLength: number
  readonly #free: Array<Uint8Array> = []

  constructor(size: number, bufferLength: number, isFastFailing: boolean) {
    this.size = size
    this.isFastFailing = isFastFailing
    this.#bufferLength = bufferLength
    for (let index = 0; index < size; index++) {
      this.#free.push(new Uint8Array(bufferLength))
    }
  }

  get availableCount(): number {
    return this.#free.length
  }

  /** Undefined where all buffers are lent. What an earlier file has left in one is still there. */
  borrow(): Uint8Array | undefined {
    return this.#free.pop()
  }

  giveBack(buffer: Uint8Array): void {
    assert(buffer.length === this.#bufferLength, "a buffer of another pool")
    assert(this.#free.length < this.size, "more buffers given back than lent")
    this.#free.push(buffer)
  }
}
