/**
 * An exclusive lock on a range of a file, held until it is released or its process ends, however it ends.
 *
 * On Linux it belongs to the open file description (F_OFD_SETLK): two holders in one process exclude each other, and
 * closing some other descriptor of the file does not drop it. Both are not so for plain POSIX record locks, which are
 * used where the former are missing, together with a table of the locks of this thread. The two kinds, and the lock of a
 * Java FileChannel, exclude each other.
 */
import * as fs from "node:fs"
import { constants } from "node:os"
import * as Errno from "./Errno.ts"
import * as Files from "./Files.ts"
import * as FlockDescriptor from "./FlockDescriptor.ts"
import * as Libc from "./Libc.ts"
import { isLinux } from "./Platform.ts"

/** `fcntl` commands: the lock of a process, and the lock of an open file description. */
export const F_SETLK: number = isLinux ? 6 : 8
export const F_OFD_SETLK = 37

export interface Range {
  readonly offset: number
  readonly length: number
}

/** A length of 0 reaches to the end of the file, however long it grows. */
export const WHOLE_FILE: Range = { offset: 0, length: 0 }

const fcntl = Libc.declare<[fd: number, command: number, type: "void *", lock: Uint8Array], number>(
  "int fcntl(int fd, int command, ...)"
)

/** Files locked by plain record locks: those are granted twice to one process. */
const heldByThisThread = new Set<string>()

export class FileLock {
  readonly path: string
  readonly range: Range
  readonly #fd: number
  readonly #command: number
  readonly #identity: string
  #isHeld: boolean = true

  constructor(path: string, range: Range, fd: number, command: number, identity: string) {
    this.path = path
    this.range = range
    this.#fd = fd
    this.#command = command
    this.#identity = identity
  }

  /** May be called more than once. */
  release(): void {
    if (this.#isHeld) {
      this.#isHeld = false
      heldByThisThread.delete(this.#identity)
      // Closing the only descriptor of the description would do, but a forked child may have inherited it.
      setLock(this.#fd, this.#command, FlockDescriptor.F_UNLCK, this.range, this.path)
      Files.close(this.#fd)
    }
  }
}

/**
 * Locks a range of a file, which is made when it is not there. Returns undefined when another holder has a lock on any
 * byte of the range. Never waits.
 */
export const tryLock = (path: string, range: Range = WHOLE_FILE): FileLock | undefined =>
  tryLockWith(isLinux ? F_OFD_SETLK : F_SETLK, path, range)

/** `tryLock` with the `fcntl` command chosen. */
export const tryLockWith = (command: number, path: string, range: Range): FileLock | undefined => {
  Libc.assertAvailable("fcntl")
  const isPerProcess = command === F_SETLK
  // Asked before the file is opened: closing any descriptor of it would drop the record lock that this thread has.
  if (isPerProcess && heldByThisThread.has(identityOf(path))) {
    return undefined
  }
  const fd = Files.openOrCreate(path)
  let isLocked = false
  try {
    isLocked = setLock(fd, command, FlockDescriptor.F_WRLCK, range, path)
  } finally {
    if (!isLocked) {
      Files.close(fd)
    }
  }
  if (!isLocked) {
    return undefined
  }
  const identity = identityOf(path)
  if (isPerProcess) {
    heldByThisThread.add(identity)
  }
  return new FileLock(path, range, fd, command, identity)
}

const identityOf = (path: string): string => {
  const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}`
}

/** False when another holder is in the way. */
const setLock = (fd: number, command: number, type: number, range: Range, path: string): boolean => {
  const result = fcntl()(fd, command, "void *", FlockDescriptor.encode(type, range.offset, range.length))
  if (result !== -1) {
    return true
  }
  const errno = Libc.errno()
  if (errno === constants.errno.EAGAIN || errno === constants.errno.EACCES) {
    return false
  }
  throw Errno.fromNumber(errno, "fcntl", path)
}
