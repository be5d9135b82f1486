/**
 * The directories that files of one queue lie in. File `i` is made in directory `i mod n` of those that are not full, by
 * their names in order, as RocketMQ does; where all are full, all count. Where a file lies matters to nobody who reads.
 */
export class Directories {
  readonly all: ReadonlyArray<string>
  #available: ReadonlyArray<string>

  constructor(directories: ReadonlyArray<string>) {
    this.all = directories.toSorted()
    this.#available = this.all
  }

  /** Says which are full. */
  setFull(full: ReadonlySet<string>): void {
    const available = this.all.filter((directory) => !full.has(directory))
    this.#available = available.length === 0 ? this.all : available
  }

  /** Takes one for full until `setFull` knows better. False where there is no other. */
  skip(directory: string): boolean {
    const others = this.#available.filter((other) => other !== directory)
    if (others.length === 0 || others.length === this.#available.length) {
      return false
    }
    this.#available = others
    return true
  }

  /** The directory that a new file is made in. */
  of(index: number): string {
    return this.#available[index % this.#available.length]!
  }
}
