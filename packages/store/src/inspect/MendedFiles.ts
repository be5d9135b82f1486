/**
 * A file system that shows the files of a store as they are once they have been mended: those that are missing are there
 * and hold zeros, those of another length have theirs, and what is none of the store's is not there. For looking only.
 */
import { assertOpen, type RegionState } from "@millrace/core/kernel/memory/RegionState"
import {
  type DirectoryEntry,
  type FileSystem,
  type FileUse,
  type FileWindow,
  join,
  type StoreFile
} from "../mapped/FileSystem.ts"
import type { FileFaults, FileLengthFault } from "./FileSurvey.ts"

/** Changes nothing, and throws where it is asked to. */
export const over = (fileSystem: FileSystem, faults: FileFaults): FileSystem => {
  const hidden = new Set(faults.putAside)
  const lengths = new Map(faults.lengths.map((fault) => [fault.path, fault]))
  return {
    refusals: fileSystem.refusals,
    entries: (directory) => {
      const found = fileSystem.entries(directory)
      if (found === undefined) {
        return undefined
      }
      const shown: Array<DirectoryEntry> = []
      for (const { isDirectory, length, name } of found) {
        const path = join(directory, name)
        if (!hidden.has(path)) {
          shown.push({ name, isDirectory, length: lengths.get(path)?.length ?? length })
        }
      }
      for (const { found: foundLength, length, path } of faults.lengths) {
        const at = path.lastIndexOf("/")
        if (foundLength === undefined && path.slice(0, at) === directory) {
          shown.push({ name: path.slice(at + 1), isDirectory: false, length })
        }
      }
      return shown
    },
    open: (path, length, use, readOnly) => {
      const fault = lengths.get(path)
      return fault === undefined ? fileSystem.open(path, length, use, readOnly) : new MendedFile(fileSystem, fault, use)
    },
    exists: (path) => !hidden.has(path) && (lengths.has(path) || fileSystem.exists(path)),
    readBytes: (path) => (hidden.has(path) ? undefined : fileSystem.readBytes(path)),
    space: (directory) => fileSystem.space(directory),
    makeDirectory: refuse,
    create: refuse,
    createAsync: refuse,
    remove: refuse,
    syncDirectory: refuse,
    syncDirectoryAsync: refuse,
    replace: refuse,
    writeBytes: refuse
  }
}

const refuse = (): never => {
  throw new Error("a view of mended files was asked to change one")
}

/** What there is of a file, and zeros behind it. */
class MendedFile implements StoreFile {
  readonly path: string
  readonly length: number
  readonly state: RegionState
  readonly #file: StoreFile | undefined
  readonly #kept: number
  readonly claim = refuse
  readonly publish = refuse
  readonly write = refuse
  readonly writeAsync = refuse
  readonly reserve = refuse
  readonly sync = refuse
  readonly syncAsync = refuse
  readonly warmUp = refuse
  readonly coolDown = refuse
  readonly prefetch = refuse
  readonly clear = refuse

  constructor(fileSystem: FileSystem, { found = 0, length, path }: FileLengthFault, use: FileUse) {
    this.path = path
    this.length = length
    this.state = { name: path, isClosed: false }
    this.#kept = Math.min(found, length)
    this.#file = this.#kept === 0 ? undefined : fileSystem.open(path, this.#kept, use, true)
  }

  read(offset: number, length: number): FileWindow {
    assertOpen(this.state)
    const file = this.#file
    if (file !== undefined && offset + length <= this.#kept) {
      return file.read(offset, length)
    }
    const bytes = new Uint8Array(length)
    const count = Math.max(0, this.#kept - offset)
    if (file !== undefined && count > 0) {
      const window = file.read(offset, count)
      bytes.set(window.bytes.subarray(offset - window.base, offset - window.base + count))
    }
    return { bytes, view: new DataView(bytes.buffer), base: offset }
  }

  close(): void {
    this.state.isClosed = true
    this.#file?.close()
  }
}
