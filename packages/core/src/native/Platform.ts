/**
 * What the system calls of this package are called with, by operating system: the numbers differ, the meaning does not.
 * Linux numbers are those of x64 and arm64 with glibc and with musl; macOS numbers are those of both of its processors.
 */
import { endianness } from "node:os"
import { assert } from "../memory/Assert.ts"

assert(endianness() === "LE", "all formats of this package are little-endian, and so must be the machine")

export const isLinux: boolean = process.platform === "linux"
export const isMacOs: boolean = process.platform === "darwin"
/** Mapping, locks and polling go through libc, whose structures are described here for these systems and processors. */
export const hasLibc: boolean = (isLinux || isMacOs) && (process.arch === "x64" || process.arch === "arm64")

export const PROT_READ = 1
export const PROT_WRITE = 2

export const MAP_SHARED = 1
export const MAP_PRIVATE = 2
/** A private mapping of a file takes no swap in advance for pages that nobody will write. */
export const MAP_NORESERVE: number = isMacOs ? 0x40 : 0x4000

export const MS_SYNC: number = isMacOs ? 0x10 : 4

export const O_NONBLOCK: number = isMacOs ? 4 : 0o4000
export const FD_CLOEXEC = 1
export const F_SETFD = 2
export const F_SETFL = 4
/** For eventfd, which only Linux has. */
export const O_CLOEXEC = 0o2000000
