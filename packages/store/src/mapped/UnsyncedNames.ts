/**
 * Directories with names in them that are not on the device yet. Names of queues and their files are synced in the
 * background, each directory once for all that came into it: a queue can be made anew from the log, and thousands of them
 * must not hold up the loop with a sync or more each. What says that queues are on the device waits for these.
 */
export class UnsyncedNames {
  readonly #directories: Set<string> = new Set()

  add(directory: string): void {
    this.#directories.add(directory)
  }

  /** A directory to sync now: names that come into it from here on count anew. Undefined for none. */
  take(): string | undefined {
    const directory = this.#directories.values().next().value
    if (directory !== undefined) {
      this.#directories.delete(directory)
    }
    return directory
  }
}
