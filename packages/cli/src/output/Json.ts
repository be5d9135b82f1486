/** Values of 64 bits in JSON: as numbers where a double holds them, else as text with every digit. */
export const int64 = (value: bigint): number | string =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value)
