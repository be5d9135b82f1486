/**
 * `String.hashCode` of Java: what tag codes, index keys and the choice of a queue are made of. It runs over UTF-16 units,
 * so text that is stored as UTF-8 is hashed in place only while it is ASCII.
 */
import * as Utf8 from "./Utf8.ts"

export const hashCode = (text: string): number => continueWith(0, text)

/** The hash of a text, continuing from that of what stands before it. */
export const continueWith = (before: number, text: string): number => {
  let hash = before
  for (let index = 0; index < text.length; index++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  }
  return hash
}

/** The hash of the UTF-8 text at `bytes[start..end)`, continuing from `hash` (the hash of what stands before it). */
export const hashCodeUtf8 = (hash: number, bytes: Uint8Array, start: number, end: number): number => {
  let result = hash
  for (let index = start; index < end; index++) {
    const byte = bytes[index]!
    if (byte > 0x7f) {
      return continueWith(hash, Utf8.decode(bytes, start, end))
    }
    result = (Math.imul(result, 31) + byte) | 0
  }
  return result
}
