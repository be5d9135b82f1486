/**
 * Above this length a `subarray` view and `set` (60 ns, flat to 1 KiB) beat a byte loop (23 ns for 8 bytes, then 1.4 ns
 * a byte); below it the loop makes no garbage. Measured with Node 26.10 on x64.
 */
const VIEW_CROSSOVER_LENGTH = 40

/** Copies `length` bytes. Both ranges must lie inside their arrays: a typed array drops what is written outside it. */
export const copy = (
  source: Uint8Array<ArrayBufferLike>,
  sourceOffset: number,
  target: Uint8Array<ArrayBufferLike>,
  targetOffset: number,
  length: number
): void => {
  if (length === source.length) {
    target.set(source, targetOffset)
  } else if (length <= VIEW_CROSSOVER_LENGTH) {
    for (let i = 0; i < length; i++) {
      target[targetOffset + i] = source[sourceOffset + i]!
    }
  } else {
    target.set(source.subarray(sourceOffset, sourceOffset + length), targetOffset)
  }
}
