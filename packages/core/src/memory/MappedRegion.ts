/**
 * A region of a mapped file.
 *
 * The mapping has one view, made when it was mapped and never again: V8 is charged the whole length of each view as
 * external memory, and collects garbage for it. Windows (`buffer`) share that view and cost nothing like it.
 *
 * `close` detaches the view before the memory is unmapped, so that every window, typed array and DataView over it is
 * empty afterwards: what was kept reads as nothing instead of another mapping's bytes. While a sync or a prefetch runs
 * in the thread pool the region is closed for its users but stays mapped until the last of them has ended.
 *
 * A region belongs to the thread that mapped it. Another worker maps the file for itself.
 */
import { assert } from "./Assert.ts"
import { AtomicBuffer } from "./AtomicBuffer.ts"
import type { Region } from "./Region.ts"
import { assertOpen, type RegionState } from "./RegionState.ts"

/** How the memory will be used. Each is a hint to the kernel, except the two that populate. */
export type Advice =
  | "normal"
  | "random"
  | "sequential"
  /** Start reading these pages in. */
  | "willNeed"
  /** Drop these pages from this process; they come back from the file. */
  | "dontNeed"
  | "hugePages"
  | "noHugePages"
  /** Map every page for reading before the call returns: cold pages are read from the device. */
  | "populateRead"
  /** Map every page for writing before the call returns; a full file system is an error instead of a SIGBUS. */
  | "populateWrite"

/** `error` is undefined when the operation succeeded. Called once, on a later turn of the event loop. */
export type Completion = (error: Error | undefined) => void

/**
 * The system's side of one mapping. Ranges are given in bytes and are widened to whole pages by the implementation.
 * Methods throw the system's error; `unmap` is called once, when nothing uses the memory any more.
 */
export interface MappedMemory {
  readonly memory: ArrayBuffer
  sync(offset: number, length: number): void
  syncAsync(offset: number, length: number, done: Completion): void
  /** False where this system does not know the advice. */
  advise(advice: Advice, offset: number, length: number): boolean
  adviseAsync(advice: Advice, offset: number, length: number, done: Completion): void
  lock(offset: number, length: number): void
  unlock(offset: number, length: number): void
  unmap(): void
}

export class MappedRegion implements Region {
  readonly path: string
  readonly state: RegionState
  readonly length: number
  /** Stores into a read-only region reach neither the file nor another process. */
  readonly isReadOnly: boolean
  readonly #mapped: MappedMemory
  #asyncCount: number = 0

  constructor(path: string, mapped: MappedMemory, isReadOnly: boolean) {
    this.path = path
    this.state = { name: path, isClosed: false }
    this.length = mapped.memory.byteLength
    this.isReadOnly = isReadOnly
    this.#mapped = mapped
  }

  buffer(offset: number = 0, length: number = this.length - offset): AtomicBuffer {
    assertOpen(this.state)
    return new AtomicBuffer(this.state, this.#mapped.memory, offset, length)
  }

  /** Waits until the bytes are on the device. Stores of other threads to the same pages wait meanwhile. */
  sync(offset: number = 0, length: number = this.length - offset): void {
    this.#assertRange(offset, length)
    this.#mapped.sync(offset, length)
  }

  /** As `sync`, in the thread pool. The region may be closed before it has ended; `done` is called all the same. */
  syncAsync(done: Completion, offset: number = 0, length: number = this.length - offset): void {
    this.#assertRange(offset, length)
    this.#whileMapped(done, (ended) => this.#mapped.syncAsync(offset, length, ended))
  }

  /** Tells the kernel how these bytes will be used. False where this system does not know the advice. */
  advise(advice: Advice, offset: number = 0, length: number = this.length - offset): boolean {
    this.#assertRange(offset, length)
    return this.#mapped.advise(advice, offset, length)
  }

  /** Brings cold bytes in from the device in the thread pool, so that reading them does not block this thread. */
  prefetch(done: Completion, offset: number = 0, length: number = this.length - offset): void {
    this.#assertRange(offset, length)
    this.#whileMapped(done, (ended) => this.#mapped.adviseAsync("populateRead", offset, length, ended))
  }

  /** Maps every page for writing in the thread pool: the first store into a fresh page costs microseconds otherwise. */
  preTouch(done: Completion, offset: number = 0, length: number = this.length - offset): void {
    this.#assertRange(offset, length)
    this.#whileMapped(done, (ended) => this.#mapped.adviseAsync("populateWrite", offset, length, ended))
  }

  /** Keeps these bytes in memory. Beyond a few MiB this needs a privilege (`ulimit -l`). */
  lock(offset: number = 0, length: number = this.length - offset): void {
    this.#assertRange(offset, length)
    this.#mapped.lock(offset, length)
  }

  unlock(offset: number = 0, length: number = this.length - offset): void {
    this.#assertRange(offset, length)
    this.#mapped.unlock(offset, length)
  }

  /** What was stored stays in the file. May be called more than once. */
  close(): void {
    if (this.state.isClosed) {
      return
    }
    this.state.isClosed = true
    this.#mapped.memory.transfer(0)
    if (this.#asyncCount === 0) {
      this.#mapped.unmap()
    }
  }

  #whileMapped(done: Completion, start: (ended: Completion) => void): void {
    this.#asyncCount++
    const ended: Completion = (error) => {
      this.#asyncCount--
      if (this.state.isClosed && this.#asyncCount === 0) {
        this.#mapped.unmap()
      }
      done(error)
    }
    try {
      start(ended)
    } catch (error) {
      this.#asyncCount--
      throw error
    }
  }

  #assertRange(offset: number, length: number): void {
    assertOpen(this.state)
    assert(offset >= 0 && length >= 0 && offset + length <= this.length, "range reaches outside its region")
  }
}
