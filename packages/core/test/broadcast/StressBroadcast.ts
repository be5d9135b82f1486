/** The messages of the broadcast's stress test: a number, and bytes and a length that follow from it. */
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"

export const TYPE_ID = 7
export const END_TYPE_ID = 8
/** Where receivers count themselves ready, behind the broadcast buffer. */
export const READY_INDEX = 0

const lengthOf = (sequence: number): number => 4 + ((sequence * 37) % 120)

const byteAt = (sequence: number, index: number): number => (sequence * 31 + index) & 0xff

export const encode = (bytes: Uint8Array, view: DataView, sequence: number): number => {
  const length = lengthOf(sequence)
  view.setInt32(0, sequence, true)
  for (let i = 4; i < length; i++) {
    bytes[i] = byteAt(sequence, i)
  }
  return length
}

export const isWhole = (buffer: AtomicBuffer, offset: number, length: number, sequence: number): boolean => {
  if (length !== lengthOf(sequence)) {
    return false
  }
  for (let i = 4; i < length; i++) {
    if (buffer.bytes[offset + i] !== byteAt(sequence, i)) {
      return false
    }
  }
  return true
}
