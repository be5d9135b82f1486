/**
 * Descriptors of files that are many and used in turns: a bounded number stays open, the one that was used longest ago is
 * closed for the next.
 */
import * as Files from "@millrace/core/kernel/native/Files"

export class DescriptorCache {
  readonly #countMax: number
  /** By path, the one used last at the end. */
  readonly #open: Map<string, number> = new Map()

  constructor(countMax: number) {
    this.#countMax = countMax
  }

  get count(): number {
    return this.#open.size
  }

  /** Valid until the next call. Throws what opening a file throws. */
  descriptorOf(path: string, readOnly: boolean): number {
    const known = this.#open.get(path)
    if (known !== undefined) {
      this.#open.delete(path)
      this.#open.set(path, known)
      return known
    }
    if (this.#open.size >= this.#countMax) {
      this.close(this.#open.keys().next().value!)
    }
    const fd = Files.openExisting(path, readOnly)
    this.#open.set(path, fd)
    return fd
  }

  close(path: string): void {
    const fd = this.#open.get(path)
    if (fd !== undefined) {
      this.#open.delete(path)
      Files.close(fd)
    }
  }
}
