/** A message of the ring's stress test: who wrote it, its number, and bytes that follow from both. */
import { random } from "../Peers.ts"

export const HEADER_LENGTH = 8
export const LENGTH_MAX = 200

/** The plan of one producer, known to the consumer as well: how long each message is. */
export const lengths = (seed: number, producer: number): (() => number) => {
  const next = random(seed * 31 + producer + 1)
  return () => HEADER_LENGTH + (next() % (LENGTH_MAX - HEADER_LENGTH))
}

const byteAt = (producer: number, sequence: number, index: number): number =>
  (producer * 97 + sequence * 13 + index) & 0xff

export const encode = (
  bytes: Uint8Array<ArrayBufferLike>,
  view: DataView<ArrayBufferLike>,
  offset: number,
  length: number,
  producer: number,
  sequence: number
): void => {
  view.setInt32(offset, producer, true)
  view.setInt32(offset + 4, sequence, true)
  for (let i = HEADER_LENGTH; i < length; i++) {
    bytes[offset + i] = byteAt(producer, sequence, i)
  }
}

/** Whether every byte is what its producer wrote. */
export const isWhole = (
  bytes: Uint8Array<ArrayBufferLike>,
  offset: number,
  length: number,
  producer: number,
  sequence: number
): boolean => {
  for (let i = HEADER_LENGTH; i < length; i++) {
    if (bytes[offset + i] !== byteAt(producer, sequence, i)) {
      return false
    }
  }
  return true
}
