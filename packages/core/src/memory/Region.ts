import type { AtomicBuffer } from "./AtomicBuffer.ts"
import type { RegionState } from "./RegionState.ts"

/**
 * Memory of fixed length that several views share: a mapped file or JavaScript memory. `close` may be called more than
 * once; after it every window is dead and every kernel over it throws `RegionClosed`.
 */
export interface Region {
  readonly state: RegionState
  readonly length: number
  /** A window over `length` bytes from `offset` (a multiple of 8); the whole region by default. */
  buffer(offset?: number, length?: number): AtomicBuffer
  close(): void
}
