/**
 * Text inside frames. Drivers write ASCII, yet nothing on the wire promises it, so one byte is one character (the
 * first 256 of Unicode): every text that arrives is kept exactly and can be written again.
 */
import type { FrameBuffer } from "./FrameBuffer.ts"

/** Written for a character that is not one byte, as Aeron does for one that is not ASCII. */
const REPLACEMENT = 0x3f

export const read = (buffer: FrameBuffer, offset: number, length: number): string => {
  const bytes = buffer.bytes
  let text = ""
  for (let i = offset; i < offset + length; i++) {
    text += String.fromCharCode(bytes[i]!)
  }
  return text
}

/** Writes `length` characters of `text` from its beginning. A character above 0xFF is written as "?". */
export const write = (buffer: FrameBuffer, offset: number, text: string, length: number): void => {
  const bytes = buffer.bytes
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    bytes[offset + i] = code > 0xff ? REPLACEMENT : code
  }
}

/** Whether every character is one byte, so that the text is written as it is. */
export const isWritable = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 0xff) {
      return false
    }
  }
  return true
}
