/** Whether a stretch of bytes is all zeros: what was never written reads so. */
import type { StoreFile } from "./FileSystem.ts"

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

/** Bytes of a file looked at at a time. */
const STRETCH_LENGTH = 1024 * 1024

/** Whether a file was never written. */
export const isZeroFile = (file: StoreFile): boolean => {
  for (let from = 0; from < file.length; from += STRETCH_LENGTH) {
    const to = Math.min(file.length, from + STRETCH_LENGTH)
    const { base, bytes } = file.read(from, to - from)
    if (!isZero(bytes, from - base, to - base)) {
      return false
    }
  }
  return true
}

const areZero = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let index = from; index < to; index++) {
    if (bytes[index] !== 0) {
      return false
    }
  }
  return true
}
