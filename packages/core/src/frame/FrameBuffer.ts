/**
 * The memory that a flyweight reads and writes: the bytes, and a DataView over the same bytes. Every `AtomicBuffer` is
 * one; `frameBuffer` makes one of a UDP payload, which may start at any byte of its memory.
 *
 * Flyweights go through the DataView, so that fields are little-endian and may be misaligned on every platform, and so
 * that a read outside, or of a region that was unmapped, throws instead of giving `undefined`.
 */
export interface FrameBuffer {
  readonly bytes: Uint8Array<ArrayBufferLike>
  readonly view: DataView<ArrayBufferLike>
}

const NOTHING = new DataView(new ArrayBuffer(0))

/** The window of `bytes` as a frame buffer: the same memory, not a copy. Of a view that was unmapped: an empty one. */
export const frameBuffer = (bytes: Uint8Array<ArrayBufferLike>): FrameBuffer => ({
  bytes,
  view: bytes.length === 0 ? NOTHING : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
})
