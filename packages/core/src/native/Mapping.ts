/**
 * Files mapped into memory.
 *
 * The descriptor is closed as soon as the file is mapped; the mapping keeps the file alive. A read-only mapping is a
 * private one: it sees what other processes store, and a store into it, a mistake, is seen by nobody, where a shared
 * mapping without write permission would end the process with SIGSEGV.
 */
import * as AtomicFile from "./AtomicFile.ts"
import * as Errno from "./Errno.ts"
import * as Files from "./Files.ts"
import * as FileSpace from "./FileSpace.ts"
import * as Libc from "./Libc.ts"
import { MappedRegion } from "../memory/MappedRegion.ts"
import { assert } from "../memory/Assert.ts"
import { PosixMapping } from "./PosixMapping.ts"
import { MAP_NORESERVE, MAP_PRIVATE, MAP_SHARED, PROT_READ, PROT_WRITE } from "./Platform.ts"

export interface OpenOptions {
  /** The file is opened for reading alone. Default false. */
  readonly readOnly?: boolean
  /** Bytes to map from the start of the file; the whole file by default. Must not reach beyond its end. */
  readonly length?: number
}

export interface CreateOptions {
  /**
   * Takes the blocks of the whole file now, so that a full file system is an error here and not a SIGBUS at some later
   * store. Without it the file is sparse.
   */
  readonly reserve: boolean
  /** Permission bits of the new file. Default 0o600. */
  readonly mode?: number
}

export type MappingCompletion = (error: Error | undefined, region: MappedRegion | undefined) => void

const mmap = Libc.declare<
  [address: null, length: number, protection: number, flags: number, fd: number, offset: number],
  bigint
>("void *mmap(void *address, size_t length, int protection, int flags, int fd, int64_t offset)")

const MAP_FAILED = 0xffff_ffff_ffff_ffffn

/** Maps a file that exists. */
export const open = (path: string, options?: OpenOptions): MappedRegion => {
  Libc.assertAvailable("mmap")
  const readOnly = options?.readOnly ?? false
  const fd = Files.openExisting(path, readOnly)
  try {
    const fileLength = Files.lengthOf(fd, path)
    const length = options?.length ?? fileLength
    if (length < 1 || length > fileLength) {
      // Touching a page beyond the end of the file would be a SIGBUS.
      throw new MappingLengthError(path, length, fileLength)
    }
    return map(fd, path, length, readOnly)
  } finally {
    Files.close(fd)
  }
}

/** Makes a file of `length` bytes that was not there before, and maps it. On failure no file is left behind. */
export const create = (path: string, length: number, options: CreateOptions): MappedRegion =>
  createNamed(path, path, length, options)

/**
 * As `create`, but the file has its name only once `initialise` has returned and its bytes are on the device: another
 * process sees the whole file or none.
 */
export const createInitialised = (
  path: string,
  length: number,
  options: CreateOptions,
  initialise: (region: MappedRegion) => void
): MappedRegion => {
  const temporary = AtomicFile.temporaryName(path)
  Files.remove(temporary)
  const region = createNamed(temporary, path, length, options)
  try {
    initialise(region)
    region.sync()
    AtomicFile.publish(temporary, path)
    return region
  } catch (error) {
    region.close()
    throw error
  } finally {
    Files.remove(temporary)
  }
}

/** As `create`, with the blocks taken in the thread pool, so that an agent's duty cycle does not wait for the device. */
export const createAsync = (path: string, length: number, options: CreateOptions, done: MappingCompletion): void => {
  assertCanMap(length)
  const fd = Files.createExclusive(path, options.mode)
  const finish = (failure: Error | undefined): void => {
    let error = failure
    let region: MappedRegion | undefined
    try {
      if (error === undefined) {
        if (!options.reserve) {
          Files.truncate(fd, length, path)
        }
        region = map(fd, path, length, false)
      }
    } catch (thrown) {
      error = thrown as Error
    }
    if (error !== undefined) {
      Files.remove(path)
    }
    Files.close(fd)
    done(error, region)
  }
  if (options.reserve) {
    FileSpace.reserveAsync(fd, 0, length, path, finish)
  } else {
    setImmediate(finish, undefined)
  }
}

/** A file that is shorter than what should be mapped of it, or empty. */
export class MappingLengthError extends Error {
  readonly _tag = "MappingLengthError"
  override readonly name = "MappingLengthError"
  readonly path: string
  readonly length: number
  readonly fileLength: number

  constructor(path: string, length: number, fileLength: number) {
    super(
      `${length} bytes of ${path} cannot be mapped: the file has ${fileLength}. It is empty, was cut short, or is still ` +
        "being made by its owner"
    )
    this.path = path
    this.length = length
    this.fileLength = fileLength
  }
}

/** Makes the file `file`; the region bears the name `path` that it has or will have. */
const createNamed = (file: string, path: string, length: number, options: CreateOptions): MappedRegion => {
  assertCanMap(length)
  const fd = Files.createExclusive(file, options.mode)
  try {
    if (options.reserve) {
      FileSpace.reserve(fd, 0, length, path)
    } else {
      Files.truncate(fd, length, path)
    }
    return map(fd, path, length, false)
  } catch (error) {
    Files.remove(file)
    throw error
  } finally {
    Files.close(fd)
  }
}

const assertCanMap = (length: number): void => {
  Libc.assertAvailable("mmap")
  assert(Number.isSafeInteger(length) && length > 0, "the length of a mapping is a positive integer")
}

const map = (fd: number, path: string, length: number, readOnly: boolean): MappedRegion => {
  const flags = readOnly ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED
  const address = mmap()(null, length, PROT_READ | PROT_WRITE, flags, fd, 0)
  if (address === MAP_FAILED) {
    throw Errno.fromNumber(Libc.errno(), "mmap", path)
  }
  return new MappedRegion(path, new PosixMapping(path, address, length), readOnly)
}
