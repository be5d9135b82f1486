/**
 * Errors of system calls: which call, on what, the name of the error number, and what to do about it.
 * Both libc calls and Node's own file calls are reported in this one form.
 */
import { constants } from "node:os"

/** How much room a refused reservation needed, and how much the file system had. */
export interface Space {
  readonly requiredBytes: number
  readonly availableBytes: number
}

export class NativeError extends Error {
  readonly _tag = "NativeError"
  override readonly name = "NativeError"
  readonly syscall: string
  /** Positive, as the C library numbers it on this system; 0 where only the name is known. */
  readonly errno: number
  /** The name of the error number: `ENOSPC`, `EACCES`, … */
  readonly code: string
  readonly path: string | undefined
  readonly space: Space | undefined

  constructor(fields: {
    readonly syscall: string
    readonly errno: number
    readonly code: string
    readonly path?: string | undefined
    readonly space?: Space | undefined
  }) {
    super(describe(fields.syscall, fields.code, fields.path, fields.space))
    this.syscall = fields.syscall
    this.errno = fields.errno
    this.code = fields.code
    this.path = fields.path
    this.space = fields.space
  }

  /** What the error means and what to do; undefined for one that is seldom met. */
  get remedy(): string | undefined {
    return REMEDIES[this.code]
  }
}

/** A function that this operating system lacks, or for which this package has no description of it. */
export class NativeUnavailable extends Error {
  readonly _tag = "NativeUnavailable"
  override readonly name = "NativeUnavailable"
  readonly feature: string
  readonly platform: string

  constructor(feature: string) {
    super(
      `${feature} is not available on ${process.platform} ${process.arch}: shared memory, file locks and polling are there ` +
        "on Linux and macOS, x64 and arm64. Codecs, heap regions (Region.layerHeap) and agents work here; run what maps " +
        "files on one of those systems."
    )
    this.feature = feature
    this.platform = process.platform
  }
}

const names: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno)
    // Two names share a number on Linux; the one that the manual pages use for it stays.
    .filter(([name]) => name !== "EWOULDBLOCK" && name !== "EOPNOTSUPP")
    .map(([name, number]) => [number, name])
)

export const nameOf = (errno: number): string => names.get(errno) ?? `errno ${errno}`

/** The error of a libc call that returned `errno`. */
export const fromNumber = (errno: number, syscall: string, path?: string, space?: Space): NativeError =>
  new NativeError({ syscall, errno, code: nameOf(errno), path, space })

/** The error of one of Node's own file calls, in this form. Anything else is given back as it is. */
export const fromNode = (error: unknown, path?: string): unknown => {
  if (error instanceof NativeError) {
    return error
  }
  if (error instanceof Error && "code" in error && "syscall" in error) {
    const { code, syscall, errno } = error as NodeJS.ErrnoException
    return new NativeError({
      syscall: String(syscall),
      errno: Math.abs(errno ?? 0),
      code: String(code),
      path: path ?? (error as NodeJS.ErrnoException).path
    })
  }
  return error
}

/** Runs one of Node's file calls and throws its error as a `NativeError`. */
export const attempt = <A>(path: string | undefined, call: () => A): A => {
  try {
    return call()
  } catch (error) {
    throw fromNode(error, path)
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "permission denied: check the owner and mode of the file and of the folders above it",
  EAGAIN:
    "a limit or a lock of another process is in the way: try again, or raise the limit (ulimit -l for locked memory)",
  EBADF: "the file descriptor is not open: an object was used after it was closed",
  EBUSY: "the file or device is in use by another process",
  EDQUOT: "the disk quota of this user is used up: free files or raise the quota",
  EEXIST: "it exists already: another process made it first, or a previous run left it behind",
  EFAULT: "the memory could not be backed by the file: the file system is full or the file was shortened",
  EINVAL: "the file system or kernel does not take this request",
  EIO: "the device reported an input/output error: the data may not be on it, see the kernel log",
  EISDIR: "it is a directory, a file was expected",
  EMFILE: "this process has too many open files: raise ulimit -n",
  ENFILE: "the whole system has too many open files: raise fs.file-max",
  ENODEV: "this file system does not support mapping files into memory",
  ENOENT: "it does not exist: check the path, and that the process that makes it is running",
  ENOLCK: "the system is out of locks, or the file system does not support them",
  ENOMEM:
    "no memory or too many mappings: raise vm.max_map_count, the memory limit of the container, or ulimit -l for locked memory",
  ENOSPC:
    "the file system is full: free space or choose another directory; in a container give /dev/shm more room with --shm-size",
  ENOSYS: "the kernel does not have this call, or a container's seccomp profile forbids it",
  ENOTDIR: "a part of the path is a file, a directory was expected",
  ENOTEMPTY: "the directory is not empty",
  ENOTSUP: "the file system does not support this operation",
  EOVERFLOW: "the length or offset is larger than this system can express",
  EPERM: "this user may not do that: run with the capability it needs, or leave the option off",
  EROFS: "the file system is mounted read-only: choose another directory",
  ETXTBSY: "the file is being executed"
}

const describe = (syscall: string, code: string, path: string | undefined, space: Space | undefined): string => {
  const subject = path === undefined ? "" : ` of ${path}`
  const room =
    space === undefined ? "" : ` (${space.requiredBytes} bytes are needed, ${space.availableBytes} are available)`
  const remedy = REMEDIES[code]
  return `${syscall}${subject} failed with ${code}${room}${remedy === undefined ? "" : `: ${remedy}`}`
}
