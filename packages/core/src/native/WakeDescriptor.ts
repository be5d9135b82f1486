/**
 * Ends the park of another thread of this process: an eventfd on Linux, a pipe elsewhere.
 *
 * Its two numbers can be sent to other threads, which attach to it. The thread that opened it closes it, after the
 * others have stopped using it: a closed number may soon mean another file.
 */
import * as fs from "node:fs"
import * as Errno from "./Errno.ts"
import * as Libc from "./Libc.ts"
import { F_SETFD, F_SETFL, FD_CLOEXEC, isLinux, O_CLOEXEC, O_NONBLOCK } from "./Platform.ts"

/** What to send to another thread. */
export interface WakeHandle {
  readonly readFd: number
  readonly writeFd: number
}

const eventfd = Libc.declare<[initial: number, flags: number], number>("int eventfd(unsigned int initial, int flags)")
const pipe = Libc.declare<[fds: Int32Array], number>("int pipe(void *fds)")
const fcntl = Libc.declare<[fd: number, command: number, type: "int", argument: number], number>(
  "int fcntl(int fd, int command, ...)"
)

/** An eventfd takes a 64-bit number; to a pipe it is 8 bytes like any others. */
const ONE = new Uint8Array(new BigUint64Array([1n]).buffer)
const DRAIN_LENGTH = 512

export class WakeDescriptor {
  readonly handle: WakeHandle
  readonly #drained: Uint8Array = new Uint8Array(DRAIN_LENGTH)
  #isOpen: boolean = true

  private constructor(handle: WakeHandle) {
    this.handle = handle
  }

  static open(): WakeDescriptor {
    return new WakeDescriptor(isLinux ? openEventfd() : openPipe())
  }

  /** The descriptor that another thread opened. It is not to be closed here. */
  static attach(handle: WakeHandle): WakeDescriptor {
    return new WakeDescriptor(handle)
  }

  /** The descriptor to watch: readable from `wake` to `drain`. */
  get fd(): number {
    return this.handle.readFd
  }

  /** May be called by any thread. Any number of wakes before a drain are one. */
  wake(): void {
    if (this.#isOpen) {
      untilBlocked(() => fs.writeSync(this.handle.writeFd, ONE))
    }
  }

  /** Takes the wakes that came so far. */
  drain(): void {
    if (this.#isOpen) {
      untilBlocked(() => {
        while (fs.readSync(this.handle.readFd, this.#drained) === DRAIN_LENGTH) {
          // A pipe may hold more than one buffer full.
        }
      })
    }
  }

  close(): void {
    if (this.#isOpen) {
      this.#isOpen = false
      fs.closeSync(this.handle.readFd)
      if (this.handle.writeFd !== this.handle.readFd) {
        fs.closeSync(this.handle.writeFd)
      }
    }
  }
}

/** EAGAIN tells a waker that it is signalled already, and a drainer that it has everything. */
const untilBlocked = (call: () => void): void => {
  try {
    call()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") {
      throw Errno.fromNode(error)
    }
  }
}

const openEventfd = (): WakeHandle => {
  const fd = eventfd()(0, O_NONBLOCK | O_CLOEXEC)
  if (fd < 0) {
    throw Errno.fromNumber(Libc.errno(), "eventfd")
  }
  return { readFd: fd, writeFd: fd }
}

/** Exported for its test: Linux, where the tests run, takes the eventfd. */
export const openPipe = (): WakeHandle => {
  const fds = new Int32Array(2)
  if (pipe()(fds) < 0) {
    throw Errno.fromNumber(Libc.errno(), "pipe")
  }
  for (const fd of fds) {
    fcntl()(fd, F_SETFL, "int", O_NONBLOCK)
    fcntl()(fd, F_SETFD, "int", FD_CLOEXEC)
  }
  return { readFd: fds[0]!, writeFd: fds[1]! }
}
