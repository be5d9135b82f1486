/**
 * A 32-bit length followed by as many bytes: how the control protocol carries channels, labels, keys and messages.
 *
 *     +----------------+---------------
 *     | int32 length   | bytes ...
 *     +----------------+---------------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { MalformedMessage } from "./MalformedMessage.ts"

export const HEADER_LENGTH = 4

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const textBytes = (text: string): Uint8Array => encoder.encode(text)

/** Writes `bytes` at `offset` and returns the offset behind them. */
export const putBytes = (buffer: AtomicBuffer, offset: number, bytes: Uint8Array): number => {
  buffer.view.setInt32(offset, bytes.length, true)
  buffer.bytes.set(bytes, offset + HEADER_LENGTH)
  return offset + HEADER_LENGTH + bytes.length
}

/** Length of the field at `offset`, checked against `end`, where its message ends. */
export const fieldLength = (buffer: AtomicBuffer, offset: number, end: number, message: string): number => {
  if (offset + HEADER_LENGTH > end) {
    throw new MalformedMessage(message, end, offset + HEADER_LENGTH)
  }
  const length = buffer.view.getInt32(offset, true)
  if (length < 0 || offset + HEADER_LENGTH + length > end) {
    throw new MalformedMessage(message, end - offset, HEADER_LENGTH + length)
  }
  return length
}

/** A copy of the bytes at `offset`. */
export const getBytes = (buffer: AtomicBuffer, offset: number, end: number, message: string): Uint8Array => {
  const length = fieldLength(buffer, offset, end, message)
  return buffer.bytes.slice(offset + HEADER_LENGTH, offset + HEADER_LENGTH + length)
}

export const getText = (buffer: AtomicBuffer, offset: number, end: number, message: string): string =>
  decoder.decode(getBytes(buffer, offset, end, message))
