/**
 * Files that appear whole: they are made under another name beside their place, brought to the device, and then named.
 * A reader, and a restart after a crash at any moment, sees the file as it was before or as it is afterwards.
 */
import * as fs from "node:fs"
import { basename, dirname, join } from "node:path"
import { threadId } from "node:worker_threads"
import { attempt } from "./Errno.ts"
import * as Files from "./Files.ts"

let sequence = 0

/** A name in the same directory, and so on the same file system, that no other thread or process uses. */
export const temporaryName = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${process.pid}-${threadId}-${sequence++}.tmp`)

/** Gives the file the name `path`, which must be free: of two processes that try, one gets EEXIST. */
export const publish = (temporary: string, path: string): void => {
  // A rename would replace what is there; a second name for the file does not.
  attempt(path, () => fs.linkSync(temporary, path))
  Files.remove(temporary)
  Files.syncDirectory(dirname(path))
}

/** Writes a whole file in the place of the one that has this name, if there is one. */
export const replace = (path: string, bytes: Uint8Array, mode: number = Files.FILE_MODE): void => {
  const temporary = temporaryName(path)
  Files.remove(temporary)
  const fd = Files.createExclusive(temporary, mode)
  try {
    attempt(temporary, () => {
      fs.writeFileSync(fd, bytes)
      // Not only the data: a rename that reaches the device before the length does leaves an empty file.
      fs.fsyncSync(fd)
    })
    attempt(path, () => fs.renameSync(temporary, path))
  } catch (error) {
    Files.remove(temporary)
    throw error
  } finally {
    Files.close(fd)
  }
  Files.syncDirectory(dirname(path))
}
