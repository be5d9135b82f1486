/**
 * CRC-32 (the zlib polynomial). RocketMQ stores it with the sign bit cleared.
 *
 * `zlib.crc32` pays about 150 ns a call before it reads a byte. A slicing-by-16 loop that loads four bytes at a time costs
 * 0.38-0.58 ns a byte (slicing by 8 took 0.60-0.72: sixteen bytes give the processor twice as much to do at a time), and is
 * used up to `LOOP_LENGTH_MAX` bytes, the crossover measured on Node 26 (x64).
 */
import { crc32 } from "node:zlib"

const LOOP_LENGTH_MAX = 640
const SLICES = 16
const HALF = SLICES / 2
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

/** Bytes, and a view of the same memory. */
export interface Memory {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** The masked CRC-32 of the bytes [start, end). */
export const masked = (memory: Memory, start: number, end: number): number => update(0, memory, start, end) & MASK

/** The CRC-32 of what has the CRC-32 `crc`, followed by the bytes [start, end). */
export const update = (crc: number, { bytes, view }: Memory, start: number, end: number): number =>
  end - start <= LOOP_LENGTH_MAX ? loop(crc, view, start, end) : crc32(bytes.subarray(start, end), crc >>> 0) | 0

const loop = (before: number, view: DataView, start: number, end: number): number => {
  let crc = ~before
  let at = start
  for (; at + SLICES <= end; at += SLICES) {
    // What depends on the bytes before comes last: the rest can be done while they are.
    crc =
      four(0x800, view.getInt32(at + 4, true)) ^
      four(0x400, view.getInt32(at + 8, true)) ^
      four(0x000, view.getInt32(at + 12, true)) ^
      four(0xc00, crc ^ view.getInt32(at, true))
  }
  if (at + HALF <= end) {
    crc = four(0x000, view.getInt32(at + 4, true)) ^ four(0x400, crc ^ view.getInt32(at, true))
    at += HALF
  }
  for (; at < end; at++) {
    crc = (crc >>> 8) ^ table[(crc ^ view.getUint8(at)) & 0xff]!
  }
  return ~crc
}

/** What four bytes come to, with as many bytes behind them as the tables from `first` on stand for. */
const four = (first: number, word: number): number =>
  table[first + 0x300 + (word & 0xff)]! ^
  table[first + 0x200 + ((word >>> 8) & 0xff)]! ^
  table[first + 0x100 + ((word >>> 16) & 0xff)]! ^
  table[first + (word >>> 24)]!

/**
 * Appending n bytes multiplies what stood before by x^(8n): so the CRC of a whole follows from those of its parts, and a
 * body that has a CRC of its own is not read twice (20-60 ns instead of 70 for 124 bytes, 510 for a kibibyte).
 * Row `digit` of level k has the products of x^(8 * 256^k * digit) with the sixteen values of four bits.
 */
const LEVELS = 3
const NIBBLES = 16
const products = new Int32Array(LEVELS * 256 * NIBBLES)
/** x^4 times four bits that leave at the lower end. */
const reduced = new Int32Array(NIBBLES)

const timesX = (value: number): number => (value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1)

const fillRow = (row: number, power: number): void => {
  for (let bit = 8, value = power; bit > 0; bit >>>= 1, value = timesX(value)) {
    for (let nibble = bit; nibble < NIBBLES; nibble++) {
      products[row * NIBBLES + nibble]! ^= nibble & bit ? value : 0
    }
  }
}

const multiply = (row: number, value: number): number => {
  let product = products[row * NIBBLES + (value & 0xf)]!
  for (let shift = 4; shift < 32; shift += 4) {
    product = (product >>> 4) ^ reduced[product & 0xf]! ^ products[row * NIBBLES + ((value >>> shift) & 0xf)]!
  }
  return product
}

const ONE = 0x80000000 | 0
for (let nibble = 0; nibble < NIBBLES; nibble++) {
  reduced[nibble] = timesX(timesX(timesX(timesX(nibble))))
}
for (let level = 0, base = 0; level < LEVELS; level++) {
  let power = ONE
  for (let digit = 0; digit < 256; digit++) {
    fillRow(level * 256 + digit, power)
    power = level === 0 ? (power >>> 8) ^ table[power & 0xff]! : digit === 0 ? base : multiply(level * 256 + 1, power)
  }
  base = power
}

/** The CRC-32 of what has the CRC-32 `first`, followed by `length` bytes that have the CRC-32 `second`. */
export const combine = (first: number, second: number, length: number): number => {
  let shifted = first
  for (let level = 0, rest = length; rest > 0; level++, rest >>>= 8) {
    const digit = rest & 0xff
    shifted = digit === 0 ? shifted : multiply(level * 256 + digit, shifted)
  }
  return shifted ^ second
}
