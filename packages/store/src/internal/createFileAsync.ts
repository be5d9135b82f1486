/**
 * Makes a file of the log in the thread pool: blocks for all of it take a moment, on some file systems seconds. Whoever
 * needs it before that finishes it; what runs in the pool then ends for nobody.
 */
import * as Files from "@millrace/core/kernel/native/Files"
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as fs from "node:fs"
import { dirname } from "node:path"
import type { FileFailure, PendingFile, StoreFile } from "../mapped/FileSystem.ts"
import { toFileFailure } from "./fileFailure.ts"

type Made = (failure: FileFailure | undefined, file: StoreFile | undefined) => void

export const createFileAsync = (path: string, length: number, open: () => StoreFile, done: Made): PendingFile => {
  const failureOf = (error: unknown) => toFileFailure(error, "create", path)
  let isTaken = false
  let fd: number
  try {
    fd = Files.createExclusive(path)
  } catch (error) {
    throw failureOf(error)
  }
  const giveUp = (error: unknown): FileFailure => {
    isTaken = true
    Files.remove(path)
    return failureOf(error)
  }
  const openMade = (): StoreFile => {
    try {
      return open()
    } catch (error) {
      throw giveUp(error)
    }
  }
  FileSpace.reserveAsync(fd, 0, length, path, (error) => {
    Files.close(fd)
    if (isTaken) {
      return
    }
    if (error !== undefined) {
      done(giveUp(error), undefined)
      return
    }
    syncDirectoryAsync(dirname(path), (failed) => {
      if (isTaken) {
        return
      }
      isTaken = true
      if (failed !== undefined) {
        done(giveUp(failed), undefined)
        return
      }
      let file: StoreFile
      try {
        file = openMade()
      } catch (failure) {
        done(failureOf(failure), undefined)
        return
      }
      done(undefined, file)
    })
  })
  return {
    finish: () => {
      isTaken = true
      let own: number | undefined
      try {
        own = Files.openExisting(path, false)
        FileSpace.reserve(own, 0, length, path)
        Files.syncDirectory(dirname(path))
      } catch (error) {
        throw giveUp(error)
      } finally {
        if (own !== undefined) {
          Files.close(own)
        }
      }
      return openMade()
    }
  }
}

export const syncDirectoryAsync = (directory: string, done: (error: Error | undefined) => void): void => {
  fs.open(directory, "r", (failed, fd) => {
    if (failed !== null) {
      done(failed)
      return
    }
    fs.fsync(fd, (error) => fs.close(fd, () => done(error ?? undefined)))
  })
}
