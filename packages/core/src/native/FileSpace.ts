/**
 * Room on a file system: how much there is, taking it for a file, giving parts of it back.
 *
 * A store into a mapped hole of a full file system kills the process with SIGBUS. So what will be written through a
 * mapping is reserved first, and a full file system is an ENOSPC here instead.
 */
import * as fs from "node:fs"
import { constants } from "node:os"
import { dirname } from "node:path"
import * as Errno from "./Errno.ts"
import type { Completion } from "./Files.ts"
import * as Libc from "./Libc.ts"
import { isLinux } from "./Platform.ts"
import * as StatvfsDescriptor from "./StatvfsDescriptor.ts"
import * as ZeroFill from "./ZeroFill.ts"

export interface Available {
  /** What an unprivileged process may still write. */
  readonly freeBytes: number
  readonly totalBytes: number
}

const statvfs = Libc.declare<[path: string, buffer: Uint8Array], number>("int statvfs(const char *path, void *buffer)")
/** Returns the error number, and leaves `errno` alone. */
const posixFallocate = Libc.declare<[fd: number, offset: number, length: number], number>(
  "int posix_fallocate(int fd, int64_t offset, int64_t length)"
)
const fallocate = Libc.declare<[fd: number, mode: number, offset: number, length: number], number>(
  "int fallocate(int fd, int mode, int64_t offset, int64_t length)"
)

const FALLOC_FL_KEEP_SIZE = 1
const FALLOC_FL_PUNCH_HOLE = 2

const INTERRUPTED: number = constants.errno.EINTR
const NOT_SUPPORTED: number = constants.errno.EOPNOTSUPP

/** The room on the file system that holds `path`, which must exist. */
export const available = (path: string): Available => {
  if (isLinux) {
    // Node's statfs gives the count of blocks but, before Node 24, not their unit, which FUSE mounts choose freely.
    const buffer = StatvfsDescriptor.allocate()
    if (statvfs()(path, buffer) !== 0) {
      throw Errno.fromNumber(Libc.errno(), "statvfs", path)
    }
    return StatvfsDescriptor.read(buffer)
  }
  const { bsize, bavail, blocks } = Errno.attempt(path, () => fs.statfsSync(path))
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/**
 * Gives the file blocks for `length` bytes from `offset` and makes it long enough. What was there stays. On ENOSPC the
 * error says how much was needed and how much was there; blocks taken by then belong to the file until it is removed.
 */
export const reserve = (fd: number, offset: number, length: number, path: string): void => {
  let errno = isLinux ? INTERRUPTED : NOT_SUPPORTED
  while (errno === INTERRUPTED) {
    errno = posixFallocate()(fd, offset, length)
  }
  if (errno === NOT_SUPPORTED) {
    try {
      ZeroFill.fill(fd, offset, length)
    } catch (error) {
      throw withSpace(error, length, path)
    }
  } else if (errno !== 0) {
    throw withSpace(Errno.fromNumber(errno, "posix_fallocate", path), length, path)
  }
}

/** As `reserve`, in the thread pool: gigabytes on a slow device take seconds. The descriptor stays open until `done`. */
export const reserveAsync = (fd: number, offset: number, length: number, path: string, done: Completion): void => {
  const fill = () =>
    ZeroFill.fillAsync(fd, offset, length, (error) =>
      done(error === undefined ? undefined : withSpace(error, length, path))
    )
  if (!isLinux) {
    return fill()
  }
  posixFallocate().async(fd, offset, length, (failure, errno) => {
    if (failure !== null) {
      done(failure)
    } else if (errno === INTERRUPTED) {
      reserveAsync(fd, offset, length, path, done)
    } else if (errno === NOT_SUPPORTED) {
      fill()
    } else {
      done(errno === 0 ? undefined : withSpace(Errno.fromNumber(errno, "posix_fallocate", path), length, path))
    }
  })
}

/**
 * Gives the blocks of `length` bytes from `offset` back to the file system; they read as zeros from then on, the length
 * of the file stays. False where the file system cannot do this.
 */
export const punchHole = (fd: number, offset: number, length: number, path: string): boolean => {
  if (!isLinux) {
    return false
  }
  if (fallocate()(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length) === 0) {
    return true
  }
  const errno = Libc.errno()
  if (errno === NOT_SUPPORTED) {
    return false
  }
  throw Errno.fromNumber(errno, "fallocate", path)
}

/** Adds how much was needed and how much there is to the error of a full file system or quota. */
const withSpace = (error: unknown, requiredBytes: number, path: string): Error => {
  const failure = Errno.fromNode(error, path)
  if (failure instanceof Errno.NativeError && (failure.code === "ENOSPC" || failure.code === "EDQUOT")) {
    const { syscall, errno, code } = failure
    const availableBytes = available(dirname(path)).freeBytes
    return new Errno.NativeError({ syscall, errno, code, path, space: { requiredBytes, availableBytes } })
  }
  return failure as Error
}
