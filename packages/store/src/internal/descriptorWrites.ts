/** Writes at a position that end with the last byte: the system may take fewer than it was given. */
import type * as Files from "@millrace/core/kernel/native/Files"
import * as fs from "node:fs"

export const writeFully = (fd: number, source: Uint8Array, offset: number, length: number): void => {
  for (let done = 0; done < length;) {
    done += fs.writeSync(fd, source, done, length - done, offset + done)
  }
}

export const writeFullyAsync = (fd: number, source: Uint8Array, offset: number, done: Files.Completion): void => {
  const next = (from: number): void => {
    fs.write(fd, source, from, source.length - from, offset + from, (error, count) => {
      if (error !== null || from + count === source.length) {
        done(error ?? undefined)
      } else {
        next(from + count)
      }
    })
  }
  next(0)
}
