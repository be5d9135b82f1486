/**
 * Waiting for descriptors.
 *
 * Who has an event loop lets it watch the descriptors (`watch`): the loop's own `epoll` or `kqueue` waits, no thread of
 * the pool is taken, and a message, a timer, `terminate` or `process.exit` ends the wait as well. Measured with a tick
 * of 1 ms (Node 26.10): 3.6 % of a core, where `poll(2)` in the thread pool takes 10 % and in a worker 6.2 %.
 *
 * `park` is `poll(2)` itself, for a thread that has nothing else to do, and with a timeout of 0 for a look at many
 * sockets in one call (290 ns).
 */
import { constants } from "node:os"
import { assert } from "../memory/Assert.ts"
import * as Errno from "./Errno.ts"
import * as Libc from "./Libc.ts"
import * as PollfdDescriptor from "./PollfdDescriptor.ts"

const poll = Libc.declare<[entries: Uint8Array, count: number, timeoutMs: number], number>(
  "int poll(void *entries, unsigned long count, int timeoutMs)"
)

/** A thread inside `poll(2)` can be neither stopped nor exited from, so it comes back at least this often. */
export const PARK_MS_MAX = 100

/** Descriptors that are asked together whether they can be read. */
export class PollSet {
  readonly fds: ReadonlyArray<number>
  readonly #entries: Uint8Array

  constructor(fds: ReadonlyArray<number>) {
    this.fds = fds
    this.#entries = PollfdDescriptor.encode(fds)
  }

  /**
   * Blocks this thread until a descriptor can be read, at most `timeoutMs` (0 to 100). Returns how many can; 0 also
   * when a signal came.
   */
  park(timeoutMs: number): number {
    assert(timeoutMs >= 0 && timeoutMs <= PARK_MS_MAX, "a park lasts at most 100 ms")
    const ready = poll()(this.#entries, this.fds.length, timeoutMs)
    if (ready >= 0) {
      return ready
    }
    const errno = Libc.errno()
    if (errno === constants.errno.EINTR) {
      return 0
    }
    throw Errno.fromNumber(errno, "poll")
  }

  /** Whether the descriptor at `index` could be read at the last `park`. */
  isReady(index: number): boolean {
    return PollfdDescriptor.isReady(this.#entries, index)
  }
}

/**
 * Lets the event loop of this thread watch descriptors.
 *
 * A watch is armed until a descriptor became readable while nobody waited; the next `arm` sets it again. So a busy agent
 * is not called for every packet, and an idle one makes no system call for a park.
 */
export class DescriptorWatch {
  readonly #handles: ReadonlyArray<{ readonly handle: Libc.PollHandle; isArmed: boolean }>
  readonly #onReady: () => void
  #isWaiting: boolean = false

  constructor(fds: ReadonlyArray<number>, onReady: () => void) {
    this.#onReady = onReady
    this.#handles = fds.map((fd) => {
      const entry = { handle: Libc.watchReadable(fd, () => this.#ready(entry)), isArmed: true }
      return entry
    })
  }

  /** From now until `disarm`, the first descriptor that can be read calls `onReady`, once. */
  arm(): void {
    this.#isWaiting = true
    for (const entry of this.#handles) {
      if (!entry.isArmed) {
        entry.isArmed = true
        entry.handle.start({ readable: true }, () => this.#ready(entry))
      }
    }
  }

  disarm(): void {
    this.#isWaiting = false
  }

  /** Must come before the descriptors are closed. */
  close(): void {
    this.#isWaiting = false
    for (const { handle } of this.#handles) {
      handle.close()
    }
  }

  #ready(entry: { readonly handle: Libc.PollHandle; isArmed: boolean }): void {
    if (this.#isWaiting) {
      this.#isWaiting = false
      this.#onReady()
    } else if (entry.isArmed) {
      entry.isArmed = false
      entry.handle.stop()
    }
  }
}
