/** Rounds `value` up to a multiple of `alignment`, a power of two below 2^31. Exact for positions: no 32-bit mask. */
export const align = (value: number, alignment: number): number => {
  const remainder = value % alignment
  return remainder === 0 ? value : value + alignment - remainder
}

export const isPowerOfTwo = (value: number): boolean =>
  Number.isInteger(value) && value > 0 && value <= 0x40000000 && (value & (value - 1)) === 0

export const CACHE_LINE_LENGTH = 64
