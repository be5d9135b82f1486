/**
 * The C library of this process, reached through koffi. Nothing is loaded before the first call: a program that only
 * decodes frames pays nothing, and a platform without these functions can import every module.
 *
 * Pointers are `bigint`. A typed array is passed as its memory, without a copy, and may be written by the call.
 * Every function has an `async` form that runs in the thread pool shared with `fs`, `zlib` and `dns` (four threads), so
 * only calls that end by themselves may use it: a sync, never an unbounded wait. Typed arrays are not for `async`.
 */
import { createRequire } from "node:module"
import * as Errno from "./Errno.ts"
import { hasLibc } from "./Platform.ts"

export interface ForeignFunction<Arguments extends ReadonlyArray<unknown>, Result> {
  (...args: Arguments): Result
  async(...args: [...Arguments, (error: Error | null, result: Result) => void]): void
}

/** The part of koffi that this package uses. */
interface Koffi {
  load(path: string | null): { func(definition: string): unknown }
  view(address: bigint, length: number): ArrayBuffer
  errno(): number
  address(value: Uint8Array): bigint
  config(settings: { max_async_calls: number }): unknown
  readonly node: {
    poll(fd: number, events: { readable: true }, onReady: () => void): PollHandle
  }
}

/** A libuv poll handle on a descriptor: the event loop watches it, no thread waits. */
export interface PollHandle {
  start(events: { readable: true }, onReady: () => void): void
  stop(): void
  close(): void
  ref(): void
  unref(): void
}

/** Calls that may be queued at once for the thread pool. koffi's own limit is 256, beyond which a call throws. */
const ASYNC_CALLS_MAX = 4096

interface Loaded {
  readonly koffi: Koffi
  readonly library: { func(definition: string): unknown }
}

let loaded: Loaded | undefined

const load = (feature: string): Loaded => {
  if (loaded === undefined) {
    if (!hasLibc) {
      throw new Errno.NativeUnavailable(feature)
    }
    const koffi = createRequire(import.meta.url)("koffi") as Koffi
    koffi.config({ max_async_calls: ASYNC_CALLS_MAX })
    loaded = { koffi, library: koffi.load(null) }
  }
  return loaded
}

/**
 * Declares a C function by its prototype. The symbol is looked up at the first use, so that a function of one system
 * may be declared on all.
 */
export const declare = <Arguments extends ReadonlyArray<unknown>, Result>(
  prototype: string
): (() => ForeignFunction<Arguments, Result>) => {
  let bound: ForeignFunction<Arguments, Result> | undefined
  return () => (bound ??= load(nameIn(prototype)).library.func(prototype) as ForeignFunction<Arguments, Result>)
}

const nameIn = (prototype: string): string => /\w+(?=\()/.exec(prototype)?.[0] ?? prototype

/** Whether a function was called before. */
export const isLoaded = (): boolean => loaded !== undefined

/** Throws `NativeUnavailable` where there is no libc to call: before anything is done that would have to be undone. */
export const assertAvailable = (feature: string): void => void load(feature)

/** The error number of the call just made, or, inside the callback of an asynchronous call, of that call. */
export const errno = (): number => load("errno").koffi.errno()

/**
 * The memory at `address` as an ArrayBuffer. V8 charges its whole length as external memory, so a mapping has one view.
 * The buffer does not own the memory: detach it with `transfer(0)` before unmapping.
 */
export const view = (address: bigint, length: number): ArrayBuffer => load("view").koffi.view(address, length)

/**
 * Where the memory of `bytes` is, for structures that point to it. It must be kept as long as they are used, and must
 * not be one of V8's own small arrays, which move: those of more than 64 bytes do not.
 */
export const address = (bytes: Uint8Array): bigint => load("address").koffi.address(bytes)

/** Watches `fd` from the event loop. `onReady` is called each turn in which the descriptor is readable. */
export const watchReadable = (fd: number, onReady: () => void): PollHandle =>
  load("poll").koffi.node.poll(fd, { readable: true }, onReady)
