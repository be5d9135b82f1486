/**
 * Makes files of the log ready for stores before the first put comes: the pages of a file that was made ahead are mapped
 * for writing, a part at a time and in the thread pool, then kept in memory. A file that is full and on the device lets go
 * of its memory again.
 *
 * Keeping pages in memory needs a privilege beyond a few MiB. Where it is refused the pages are warm all the same; the
 * refusal is counted.
 */
import type { MappedFile } from "./MappedFile.ts"

export class WarmUp {
  readonly #partLength: number
  readonly #cold: Array<{ readonly file: MappedFile; offset: number }> = []
  readonly #warm: Array<MappedFile> = []
  readonly #onDone: () => void
  #isBusy = false

  /** `onDone` is told when a part is warm: the next one can be begun. */
  constructor(partLength: number, onDone: () => void) {
    this.#partLength = partLength
    this.#onDone = onDone
  }

  /** Whether a part is being warmed in the thread pool. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  add(file: MappedFile): void {
    this.#cold.push({ file, offset: 0 })
  }

  doWork(): number {
    return this.#coolDown() + (this.#isBusy ? 0 : this.#warmNext())
  }

  #warmNext(): number {
    const next = this.#cold[0]
    if (next === undefined) {
      return 0
    }
    const { file, offset } = next
    if (file.file.state.isClosed || offset >= file.length || file.wrotePosition > offset + this.#partLength) {
      // What is written to already is warm by that.
      this.#cold.shift()
      this.#warm.push(file)
      return 1
    }
    this.#isBusy = true
    const length = Math.min(this.#partLength, file.length - offset)
    next.offset = offset + length
    file.file.warmUp(offset, length, () => {
      this.#isBusy = false
      this.#onDone()
    })
    return 1
  }

  #coolDown(): number {
    const file = this.#warm[0]
    if (file === undefined || (!file.file.state.isClosed && file.flushedPosition < file.length)) {
      return 0
    }
    this.#warm.shift()
    if (!file.file.state.isClosed) {
      file.file.coolDown()
    }
    return 1
  }
}
