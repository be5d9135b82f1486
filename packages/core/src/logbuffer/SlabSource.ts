/**
 * Many messages in one buffer, copied out by words. The word view is made once a buffer; a copy of 32 bytes then costs
 * 10 ns when it is aligned and 16 when it is not, where a call into the runtime costs 38.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Bytes from "../memory/Bytes.ts"

// From here on one call into the runtime is faster than a loop over words.
const WORDS_LENGTH_MAX = 128

export class SlabSource {
  private source: Uint8Array<ArrayBufferLike> = new Uint8Array(0)
  private view = new DataView(this.source.buffer)
  private words = new Int32Array(0)
  /** Where in `source` the first word begins: 0 to 3. */
  private wordsOffset = 0

  /** Takes a buffer to copy from. The same one again costs nothing. */
  wrap(source: Uint8Array<ArrayBufferLike>): void {
    if (source === this.source) {
      return
    }
    const { buffer, byteOffset, length } = source
    this.source = source
    this.view = new DataView(buffer as ArrayBuffer, byteOffset, length)
    this.wordsOffset = -byteOffset & 3
    this.words = new Int32Array(
      buffer as ArrayBuffer,
      byteOffset + this.wordsOffset,
      Math.max(0, length - this.wordsOffset) >>> 2
    )
  }

  /** Copies `length` bytes to `targetOffset`, a multiple of 4. The caller has checked both ranges. */
  copyTo(target: AtomicBuffer, targetOffset: number, sourceOffset: number, length: number): void {
    if (length > WORDS_LENGTH_MAX) {
      Bytes.copy(this.source, sourceOffset, target.bytes, targetOffset, length)
      return
    }
    const targetWords = target.int32
    const targetWord = targetOffset >>> 2
    const wordCount = length >>> 2
    const wordsOffset = sourceOffset - this.wordsOffset
    if ((wordsOffset & 3) === 0) {
      const words = this.words
      const sourceWord = wordsOffset >> 2
      let index = 0
      // Eight words a turn cost 4.7 ns, eight turns of one 8.4.
      for (; index + 8 <= wordCount; index += 8) {
        const from = sourceWord + index
        const to = targetWord + index
        targetWords[to] = words[from]!
        targetWords[to + 1] = words[from + 1]!
        targetWords[to + 2] = words[from + 2]!
        targetWords[to + 3] = words[from + 3]!
        targetWords[to + 4] = words[from + 4]!
        targetWords[to + 5] = words[from + 5]!
        targetWords[to + 6] = words[from + 6]!
        targetWords[to + 7] = words[from + 7]!
      }
      for (; index < wordCount; index++) {
        targetWords[targetWord + index] = words[sourceWord + index]!
      }
    } else {
      const view = this.view
      for (let index = 0; index < wordCount; index++) {
        targetWords[targetWord + index] = view.getInt32(sourceOffset + 4 * index, true)
      }
    }
    for (let index = 4 * wordCount; index < length; index++) {
      target.bytes[targetOffset + index] = this.source[sourceOffset + index]!
    }
  }
}
