/**
 * Takes the blocks of a file by writing them: for file systems without `posix_fallocate`. Bytes that are there are read
 * and written back as they are, so a range that others write meanwhile is not for this.
 */
import * as fs from "node:fs"
import type { Completion } from "./Files.ts"

/** Large enough that a call's cost does not show, small enough that the event loop gets its turn between two. */
const CHUNK_LENGTH = 1024 * 1024

export const fill = (fd: number, offset: number, length: number): void => {
  const chunk = new Uint8Array(Math.min(CHUNK_LENGTH, length))
  const end = offset + length
  for (let position = offset; position < end;) {
    const count = Math.min(chunk.length, end - position)
    chunk.fill(0)
    fs.readSync(fd, chunk, 0, count, position)
    position += fs.writeSync(fd, chunk, 0, count, position)
  }
}

export const fillAsync = (fd: number, offset: number, length: number, done: Completion): void => {
  const chunk = new Uint8Array(Math.min(CHUNK_LENGTH, length))
  const end = offset + length
  const next = (position: number): void => {
    if (position >= end) {
      return done(undefined)
    }
    const count = Math.min(chunk.length, end - position)
    chunk.fill(0)
    fs.read(fd, chunk, 0, count, position, (readError) => {
      if (readError !== null) {
        return done(readError)
      }
      fs.write(fd, chunk, 0, count, position, (writeError, written) => {
        if (writeError !== null) {
          return done(writeError)
        }
        next(position + written)
      })
    })
  }
  next(offset)
}
