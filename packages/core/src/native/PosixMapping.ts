/**
 * The system's side of a mapping by `mmap(2)`: sync, advice, locking, unmapping. Addresses do not leave this file.
 */
import { constants } from "node:os"
import type { Advice, Completion, MappedMemory } from "../memory/MappedRegion.ts"
import * as Errno from "./Errno.ts"
import * as Files from "./Files.ts"
import * as Libc from "./Libc.ts"
import { isLinux, isMacOs, MS_SYNC } from "./Platform.ts"

type RangeCall<Rest extends ReadonlyArray<unknown>> = [address: bigint, length: number, ...Rest]

const msync = Libc.declare<RangeCall<[flags: number]>, number>("int msync(void *address, size_t length, int flags)")
const munmap = Libc.declare<RangeCall<[]>, number>("int munmap(void *address, size_t length)")
const madvise = Libc.declare<RangeCall<[advice: number]>, number>(
  "int madvise(void *address, size_t length, int advice)"
)
const mlock = Libc.declare<RangeCall<[]>, number>("int mlock(void *address, size_t length)")
const munlock = Libc.declare<RangeCall<[]>, number>("int munlock(void *address, size_t length)")
const getpagesize = Libc.declare<[], number>("int getpagesize()")

const COMMON_ADVICE: Partial<Record<Advice, number>> = {
  normal: 0,
  random: 1,
  sequential: 2,
  willNeed: 3,
  dontNeed: 4
}
const LINUX_ADVICE: Partial<Record<Advice, number>> = {
  ...COMMON_ADVICE,
  hugePages: 14,
  noHugePages: 15,
  populateRead: 22,
  populateWrite: 23
}
const adviceNumbers = isLinux ? LINUX_ADVICE : COMMON_ADVICE

/** The kernel, or the file system of this mapping, does not know the advice (`populate…` came with Linux 5.14). */
const isUnknownAdvice = (errno: number): boolean => errno === constants.errno.EINVAL

let cachedPageSize = 0
/** Bytes of one page of memory: 4096, or 16384 on Apple's and some arm64 machines, or 65536. */
const pageSize = (): number => (cachedPageSize ||= getpagesize()())

export class PosixMapping implements MappedMemory {
  readonly memory: ArrayBuffer
  readonly #path: string
  readonly #address: bigint
  readonly #length: number

  constructor(path: string, address: bigint, length: number) {
    this.#path = path
    this.#address = address
    this.#length = length
    this.memory = Libc.view(address, length)
  }

  sync(offset: number, length: number): void {
    const start = pageStart(offset)
    this.#check(msync()(this.#at(start), offset + length - start, MS_SYNC), "msync")
    if (isMacOs) {
      // There msync stops at the device's cache; F_FULLFSYNC, which Node's fdatasync is, empties it.
      const fd = Files.openExisting(this.#path, true)
      try {
        Files.syncData(fd, this.#path)
      } finally {
        Files.close(fd)
      }
    }
  }

  syncAsync(offset: number, length: number, done: Completion): void {
    const start = pageStart(offset)
    msync().async(this.#at(start), offset + length - start, MS_SYNC, (failure, result) => {
      const error = failure ?? this.#errorOf(result, "msync")
      if (isMacOs && error === undefined) {
        this.#syncDevice(done)
      } else {
        done(error)
      }
    })
  }

  advise(advice: Advice, offset: number, length: number): boolean {
    const number = adviceNumbers[advice]
    if (number === undefined) {
      return false
    }
    const start = pageStart(offset)
    if (madvise()(this.#at(start), offset + length - start, number) === 0) {
      return true
    }
    const errno = Libc.errno()
    if (isUnknownAdvice(errno)) {
      return false
    }
    throw Errno.fromNumber(errno, "madvise", this.#path)
  }

  adviseAsync(advice: Advice, offset: number, length: number, done: Completion): void {
    const number = adviceNumbers[advice] ?? COMMON_ADVICE.willNeed!
    const start = pageStart(offset)
    madvise().async(this.#at(start), offset + length - start, number, (failure, result) => {
      if (failure === null && result !== 0 && isUnknownAdvice(Libc.errno()) && number !== COMMON_ADVICE.willNeed) {
        this.adviseAsync("willNeed", offset, length, done)
      } else {
        done(failure ?? this.#errorOf(result, "madvise"))
      }
    })
  }

  lock(offset: number, length: number): void {
    const start = pageStart(offset)
    this.#check(mlock()(this.#at(start), offset + length - start), "mlock")
  }

  unlock(offset: number, length: number): void {
    const start = pageStart(offset)
    this.#check(munlock()(this.#at(start), offset + length - start), "munlock")
  }

  unmap(): void {
    this.#check(munmap()(this.#address, this.#length), "munmap")
  }

  #at(offset: number): bigint {
    return this.#address + BigInt(offset)
  }

  #check(result: number, syscall: string): void {
    const error = this.#errorOf(result, syscall)
    if (error !== undefined) {
      throw error
    }
  }

  #errorOf(result: number, syscall: string): Errno.NativeError | undefined {
    return result === 0 ? undefined : Errno.fromNumber(Libc.errno(), syscall, this.#path)
  }

  #syncDevice(done: Completion): void {
    let fd: number
    try {
      fd = Files.openExisting(this.#path, true)
    } catch (error) {
      return done(error as Error)
    }
    Files.syncDataAsync(fd, this.#path, (error) => {
      Files.close(fd)
      done(error)
    })
  }
}

const pageStart = (offset: number): number => offset - (offset % pageSize())
