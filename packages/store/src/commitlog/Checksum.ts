/**
 * CRC-32 (the zlib polynomial). RocketMQ stores it with the sign bit cleared.
 *
 * `zlib.crc32` pays about 200 ns a call before it reads a byte; a slicing-by-8 loop costs under 1 ns a byte. The loop is
 * used up to `LOOP_LENGTH_MAX` bytes, the crossover measured on Node 26 (x64).
 */
import { crc32 } from "node:zlib"

const LOOP_LENGTH_MAX = 256
const SLICES = 8
const POLYNOMIAL = 0xedb88320

const table = new Int32Array(SLICES * 256)
for (let byte = 0; byte < 256; byte++) {
  let value = byte
  for (let bit = 0; bit < 8; bit++) {
    value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  }
  table[byte] = value
}
for (let byte = 0; byte < 256; byte++) {
  for (let slice = 1; slice < SLICES; slice++) {
    const previous = table[(slice - 1) * 256 + byte]!
    table[slice * 256 + byte] = (previous >>> 8) ^ table[previous & 0xff]!
  }
}

export const MASK = 0x7fffffff

/** The masked CRC-32 of `bytes[start..end)`. */
export const masked = (bytes: Uint8Array, start: number, end: number): number =>
  (end - start <= LOOP_LENGTH_MAX ? loop(bytes, start, end) : crc32(bytes.subarray(start, end))) & MASK

const loop = (bytes: Uint8Array, start: number, end: number): number => {
  let crc = -1
  let at = start
  for (; at + SLICES <= end; at += SLICES) {
    const low = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24))
    crc =
      table[0x700 + (low & 0xff)]! ^
      table[0x600 + ((low >>> 8) & 0xff)]! ^
      table[0x500 + ((low >>> 16) & 0xff)]! ^
      table[0x400 + (low >>> 24)]! ^
      table[0x300 + bytes[at + 4]!]! ^
      table[0x200 + bytes[at + 5]!]! ^
      table[0x100 + bytes[at + 6]!]! ^
      table[bytes[at + 7]!]!
  }
  for (; at < end; at++) {
    crc = (crc >>> 8) ^ table[(crc ^ bytes[at]!) & 0xff]!
  }
  return ~crc
}
