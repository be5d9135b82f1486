/**
 * A region of JavaScript memory: for tests, and for structures shared by the threads of one process.
 * A SharedArrayBuffer cannot be detached, so closing it is a state that every kernel checks.
 */
import { AtomicBuffer } from "./AtomicBuffer.ts"
import type { Region } from "./Region.ts"
import { assertOpen, type RegionState } from "./RegionState.ts"

export class HeapRegion implements Region {
  readonly state: RegionState
  readonly length: number
  /** Hand this to a worker, which makes its own `HeapRegion` over it. */
  readonly memory: SharedArrayBuffer

  constructor(name: string, memory: SharedArrayBuffer | number) {
    this.memory = typeof memory === "number" ? new SharedArrayBuffer(memory) : memory
    this.length = this.memory.byteLength
    this.state = { name, isClosed: false }
  }

  buffer(offset: number = 0, length: number = this.length - offset): AtomicBuffer {
    assertOpen(this.state)
    return new AtomicBuffer(this.state, this.memory, offset, length)
  }

  close(): void {
    this.state.isClosed = true
  }
}
