/** The files of a store that a repair changes, as they were before. Each step is on the device before the next begins. */
import * as Files from "@millrace/core/kernel/native/Files"
import * as fs from "node:fs"
import * as path from "node:path"
import { FileFailure } from "../mapped/FileSystem.ts"
import type { Edit } from "../recovery/RepairPlan.ts"
import { toFileFailure } from "./fileFailure.ts"

const MANIFEST = "repair.json"
/** Zeros are written in pieces of this length. */
const PIECE_LENGTH = 1024 * 1024

export class RepairBackup {
  readonly #directory: string
  readonly #target: string
  readonly #choice: string
  readonly #files: Array<string> = []
  readonly #made: Array<string> = []

  constructor(directory: string, target: string, choice: string) {
    this.#directory = directory
    this.#target = target
    this.#choice = choice
    if (fs.existsSync(target)) {
      throw new FileFailure({
        code: "EEXIST",
        operation: "create",
        path: target,
        message: "the backup is there already"
      })
    }
    this.#attempt("make directory", target, () => Files.makeDirectory(target))
  }

  /** Files that were changed, made or put aside. */
  get files(): ReadonlyArray<string> {
    return [...this.#files, ...this.#made]
  }

  /** Notes files that will be kept when they are made shorter. */
  note(sources: ReadonlyArray<string>): void {
    this.#files.push(...sources)
  }

  /** Keeps files that will be changed; one that is not there will be made. */
  copy(sources: ReadonlyArray<string>): void {
    for (const source of new Set(sources)) {
      if (!fs.existsSync(source)) {
        this.#made.push(source)
        continue
      }
      this.#attempt("back up", source, () => {
        const copy = this.#placeOf(source)
        fs.copyFileSync(source, copy, fs.constants.COPYFILE_FICLONE)
        syncFile(copy)
      })
      this.#files.push(source)
    }
    this.#writeManifest()
  }

  putAside(sources: ReadonlyArray<string>): void {
    for (const source of sources) {
      this.#attempt("put aside", source, () => move(source, this.#placeOf(source)))
      this.#files.push(source)
    }
    this.#writeManifest()
  }

  /** Makes files, or makes them longer or shorter. What is new reads as zeros; one that is too long is kept as it is. */
  resize(resized: ReadonlyArray<{ readonly path: string; readonly length: number }>): void {
    for (const { length, path: file } of resized) {
      this.#attempt("resize", file, () => {
        if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > length) {
          this.#shorten(file, length)
          return
        }
        const fd = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, Files.FILE_MODE)
        try {
          fs.ftruncateSync(fd, length)
          fs.fsyncSync(fd)
        } finally {
          fs.closeSync(fd)
        }
        Files.syncDirectory(path.dirname(file))
      })
    }
  }

  /** Nobody copies what is behind the length that the file should have: that may be more than the device takes. */
  #shorten(file: string, length: number): void {
    const kept = this.#placeOf(file)
    const beginning = `${kept}.beginning`
    copyBeginning(file, beginning, length)
    move(file, kept)
    move(beginning, file)
  }

  write(edits: ReadonlyArray<Edit>): void {
    for (const edit of edits) {
      this.#attempt("write", edit.path, () => {
        const fd = fs.openSync(edit.path, "r+")
        try {
          writeEdit(fd, edit)
          fs.fsyncSync(fd)
        } finally {
          fs.closeSync(fd)
        }
      })
    }
  }

  /** Where a file goes: the same place below the backup; one of a log elsewhere below `outside`, with its whole path. */
  #placeOf(source: string): string {
    const relative = path.relative(this.#directory, source)
    const place = path.join(
      this.#target,
      relative.startsWith("..") ? path.join("outside", path.resolve(source)) : relative
    )
    fs.mkdirSync(path.dirname(place), { recursive: true })
    return place
  }

  #writeManifest(): void {
    const manifest = {
      store: this.#directory,
      choice: this.#choice,
      files: this.#files,
      made: this.#made,
      undo: [
        ...(this.#made.length === 0 ? [] : [`rm -f ${this.#made.map(quoted).join(" ")}`]),
        `cp -a ${quoted(this.#target)}/. ${quoted(this.#directory)}/`
      ].join(" && ")
    }
    const file = path.join(this.#target, MANIFEST)
    this.#attempt("write", file, () => {
      fs.writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
      syncFile(file)
      Files.syncDirectory(this.#target)
    })
  }

  #attempt(operation: string, file: string, run: () => void): void {
    try {
      run()
    } catch (error) {
      throw toFileFailure(error, operation, file)
    }
  }
}

/** As a shell takes any path. */
const quoted = (file: string): string => `'${file.replaceAll("'", String.raw`'\''`)}'`

const syncFile = (file: string): void => {
  const fd = fs.openSync(file, "r")
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

const copyBeginning = (source: string, target: string, length: number): void => {
  const from = fs.openSync(source, "r")
  const to = fs.openSync(target, "wx", Files.FILE_MODE)
  try {
    const piece = new Uint8Array(Math.min(length, PIECE_LENGTH))
    for (let at = 0; at < length; at += piece.length) {
      const count = fs.readSync(from, piece, 0, Math.min(piece.length, length - at), at)
      fs.writeSync(to, piece, 0, count, at)
    }
    fs.fsyncSync(to)
  } finally {
    fs.closeSync(from)
    fs.closeSync(to)
  }
}

const move = (source: string, target: string): void => {
  try {
    fs.renameSync(source, target)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) {
      throw error
    }
    fs.cpSync(source, target, { recursive: true, preserveTimestamps: true })
    fs.rmSync(source, { recursive: true })
  }
  Files.syncDirectory(path.dirname(source))
}

const writeEdit = (fd: number, { bytes, length, offset }: Edit): void => {
  if (bytes !== undefined) {
    fs.writeSync(fd, bytes, 0, length, offset)
    return
  }
  const zeros = new Uint8Array(Math.min(length, PIECE_LENGTH))
  for (let at = 0; at < length; at += zeros.length) {
    fs.writeSync(fd, zeros, 0, Math.min(zeros.length, length - at), offset + at)
  }
}
