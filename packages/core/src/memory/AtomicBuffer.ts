/**
 * A window over a region: the same bytes seen as bytes, as 32- and 64-bit atomics, and through a DataView for fields
 * that are not aligned. All values are little-endian as in Aeron; every platform that Node runs on is.
 *
 * The window starts at a multiple of 8, so `int32[i]` is the field at byte `4 * i` and `int64[i]` the one at `8 * i`.
 * A window never outlives its region: kernels call `assertOpen(buffer.state)` once a call.
 */
import { assert } from "./Assert.ts"
import { assertOpen, type RegionState } from "./RegionState.ts"

export class AtomicBuffer {
  readonly state: RegionState
  /** Length of the window in bytes. */
  readonly length: number
  readonly bytes: Uint8Array<ArrayBufferLike>
  readonly int32: Int32Array<ArrayBufferLike>
  readonly int64: BigInt64Array<ArrayBufferLike>
  private readonly dataView: DataView<ArrayBufferLike>

  constructor(state: RegionState, memory: ArrayBufferLike, offset: number, length: number) {
    assert(offset >= 0 && length >= 0 && offset + length <= memory.byteLength, "window reaches outside its region")
    assert(offset % 8 === 0, "window does not start at a multiple of 8")
    this.state = state
    this.length = length
    this.bytes = new Uint8Array(memory, offset, length)
    this.int32 = new Int32Array(memory, offset, Math.floor(length / 4))
    this.int64 = new BigInt64Array(memory, offset, Math.floor(length / 8))
    this.dataView = new DataView(memory, offset, length)
  }

  /**
   * Asserts that the region is open: flyweights are called field by field and have no entry of their own where they could
   * (0.5 ns a field).
   */
  get view(): DataView<ArrayBufferLike> {
    assertOpen(this.state)
    return this.dataView
  }

  /** A window over part of this window. `offset` must be a multiple of 8. */
  slice(offset: number, length: number): AtomicBuffer {
    assertOpen(this.state)
    assert(offset + length <= this.length, "slice reaches outside its window")
    return new AtomicBuffer(this.state, this.bytes.buffer, this.bytes.byteOffset + offset, length)
  }
}
