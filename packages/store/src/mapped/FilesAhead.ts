/**
 * Makes the files of a queue: the one that is needed now, and the next ones before they are needed, in the background.
 * A file that is made ahead belongs to the queue only when it is taken.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"
import type { Directories } from "./Directories.ts"
import * as FileNaming from "./FileNaming.ts"
import { FileFailure, type FileSystem, type FileUse, join, type PendingFile, type StoreFile } from "./FileSystem.ts"
import { MappedFile } from "./MappedFile.ts"
import type { UnsyncedNames } from "./UnsyncedNames.ts"
import { isZeroFile } from "./ZeroBytes.ts"

export interface FilesAheadOptions {
  readonly fileSystem: FileSystem
  readonly fileLength: number
  readonly use: FileUse
  readonly reserveStep: number
  /** Where the directory of a first file is noted instead of being synced; behind one that is there none may be missing. */
  readonly unsynced?: UnsyncedNames | undefined
}

export class FilesAhead {
  readonly #options: FilesAheadOptions
  readonly #directories: Directories
  /** Made and not taken, one behind the other. */
  readonly #ready: Array<MappedFile> = []
  #pending: { readonly from: number; readonly file: PendingFile } | undefined = undefined

  #isDiscarded = false

  constructor(options: FilesAheadOptions, directories: Directories) {
    this.#options = options
    this.#directories = directories
  }

  /** How many files there are ahead, the one that is being made included. */
  get count(): number {
    return this.#ready.length + (this.#pending === undefined ? 0 : 1)
  }

  /** Whether a file is being made in the background. */
  get isMaking(): boolean {
    return this.#pending !== undefined
  }

  /** Sees to it that the file from `from` on is there to be taken. Throws `FileFailure`. */
  prepare(from: number, isFirst: boolean = false): void {
    this.#dropUnnamed(from)
    if (this.#ready.length === 0) {
      this.#ready.push(this.#make(from, isFirst))
    }
  }

  /** The file from `from` on, ready or made now; the first of its queue or a later one. Throws `FileFailure`. */
  take(from: number, isFirst: boolean): MappedFile {
    this.prepare(from, isFirst)
    return this.#ready.shift()!
  }

  /**
   * Begins to make the file behind those that are ready, of which the first begins at `from`. `done` is told when it is,
   * or why it is not; not at all where somebody needed it before. Throws `FileFailure`.
   */
  start(from: number, done: (failure: FileFailure | undefined, file: MappedFile | undefined) => void): void {
    assert(this.#pending === undefined, "two files are made at once")
    const position = from + this.#ready.length * this.#options.fileLength
    const { directory, path } = this.#placeOf(position)
    this.#removeUnwritten(position)
    const { fileLength, fileSystem, use } = this.#options
    const file = fileSystem.createAsync(path, fileLength, use, (failure, made) => {
      this.#pending = undefined
      if (this.#isDiscarded) {
        if (made !== undefined) {
          this.#remove(made)
        }
        return
      }
      if (failure?.isOutOfSpace === true) {
        this.#directories.skip(directory)
      }
      const ready = made && this.#fileOf(made, position)
      if (ready !== undefined) {
        this.#ready.push(ready)
      }
      done(failure, ready)
    })
    this.#pending = { from: position, file }
  }

  /** Removes files that were made and never used: the next start would take them for written. */
  discard(): void {
    this.#isDiscarded = true
    for (const { file } of this.#ready.splice(0)) {
      this.#remove(file)
    }
  }

  #remove(file: StoreFile): void {
    const isNamed = this.#options.fileSystem.exists(file.path)
    file.close()
    if (isNamed) {
      this.#options.fileSystem.remove(file.path)
    }
  }

  /**
   * Gives up files whose names are gone. A RocketMQ that is started on this directory clears what it takes for rubbish
   * before the lock refuses it; what is written to a file without a name is gone with the process.
   */
  #dropUnnamed(from: number): void {
    while (this.#ready.length > 0) {
      const first = this.#ready[0]!
      if (first.fromOffset === from && this.#options.fileSystem.exists(first.file.path)) {
        return
      }
      this.#ready.shift()
      first.close()
    }
  }

  /** Makes a file in a directory that has room for it. */
  #make(from: number, isFirst: boolean): MappedFile {
    for (;;) {
      const { directory } = this.#placeOf(from)
      try {
        return this.#makeNow(from, isFirst)
      } catch (error) {
        const isFull = error instanceof FileFailure && error.isOutOfSpace
        if (!isFull || !this.#directories.skip(directory)) {
          throw error
        }
      }
    }
  }

  #makeNow(from: number, isFirst: boolean): MappedFile {
    const pending = this.#pending
    if (pending !== undefined && pending.from === from) {
      // It may be ready in a moment; until then nobody could be served, so what is left of it is done here.
      this.#pending = undefined
      return this.#fileOf(pending.file.finish(), from)
    }
    const { fileLength, fileSystem, unsynced, use } = this.#options
    const { directory, path } = this.#placeOf(from)
    this.#removeUnwritten(from)
    const file = fileSystem.create(path, fileLength, use)
    if (unsynced !== undefined && isFirst) {
      unsynced.add(directory)
      return this.#fileOf(file, from)
    }
    try {
      fileSystem.syncDirectory(directory)
    } catch (error) {
      // It is made again soon; what is left of this one would be in the way, or for ever open.
      file.close()
      fileSystem.remove(path)
      throw error
    }
    return this.#fileOf(file, from)
  }

  #fileOf(file: StoreFile, from: number): MappedFile {
    const { fileLength, reserveStep } = this.#options
    return new MappedFile(file, from, reserveStep, reserveStep === 0 ? fileLength : 0)
  }

  #placeOf(from: number): { readonly directory: string; readonly path: string } {
    const directory = this.#directories.of(from / this.#options.fileLength)
    return { directory, path: join(directory, FileNaming.format(from)) }
  }

  /**
   * Removes a file that stands where the next one is to be made. No file of ours has its name: a start that was refused
   * has left it, and has written nothing. What is written belongs to somebody who shares the directory.
   */
  #removeUnwritten(from: number): void {
    for (const directory of this.#directories.all) {
      this.#removeUnwrittenFile(directory, join(directory, FileNaming.format(from)))
    }
  }

  #removeUnwrittenFile(directory: string, path: string): void {
    const { fileSystem, use } = this.#options
    if (!fileSystem.exists(path)) {
      return
    }
    const length = fileSystem.entries(directory)?.find(({ name }) => join(directory, name) === path)?.length ?? 0
    if (length > 0) {
      const file = fileSystem.open(path, length, use, true)
      try {
        if (!isZeroFile(file)) {
          const message = `${path} holds what this store did not write: give each store a directory of its own`
          throw new FileFailure({ code: "EEXIST", operation: "create", path, message })
        }
      } finally {
        file.close()
      }
    }
    fileSystem.remove(path)
  }
}
