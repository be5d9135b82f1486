/**
 * What is left behind a gap between the files of a queue. Two files are made ahead of need and removed at a clean end;
 * which of these names a failure of power brings back is chance.
 */
import type { FileSystem, FileUse } from "./FileSystem.ts"
import { isZeroFile } from "./ZeroBytes.ts"

/** A file of a queue, as its directory lists it. */
export interface FoundFile {
  readonly path: string
  readonly position: number
  readonly length: number
}

/** Index of the first file that does not begin where the one before it ends; -1 for none. `found` is in order. */
export const firstBehindGap = (found: ReadonlyArray<FoundFile>, fileLength: number): number =>
  found.findIndex((file, index) => index > 0 && file.position !== found[index - 1]!.position + fileLength)

/** Whether none of the files was ever written. A longer one is none of the queue's, and is not read to its end. */
export const areUnwritten = (
  fileSystem: FileSystem,
  use: FileUse,
  found: ReadonlyArray<FoundFile>,
  fileLength: number
): boolean =>
  found.every(({ length, path }) => {
    if (length === 0 || length > fileLength) {
      return length === 0
    }
    const file = fileSystem.open(path, length, use, true)
    try {
      return isZeroFile(file)
    } finally {
      file.close()
    }
  })
