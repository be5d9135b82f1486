/** Whether a stretch of bytes is all zeros: what was never written reads so. */
const WORD_LENGTH = 4

export const isZero = (bytes: Uint8Array, from: number, to: number): boolean => {
  // Four bytes at a time, where those begin.
  const aligned = Math.min(to, from + ((WORD_LENGTH - ((bytes.byteOffset + from) % WORD_LENGTH)) % WORD_LENGTH))
  const wordCount = Math.floor((to - aligned) / WORD_LENGTH)
  const words = wordCount === 0 ? undefined : new Int32Array(bytes.buffer, bytes.byteOffset + aligned, wordCount)
  for (let index = 0; index < wordCount; index++) {
    if (words![index] !== 0) {
      return false
    }
  }
  return areZero(bytes, from, aligned) && areZero(bytes, aligned + wordCount * WORD_LENGTH, to)
}

const areZero = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let index = from; index < to; index++) {
    if (bytes[index] !== 0) {
      return false
    }
  }
  return true
}
