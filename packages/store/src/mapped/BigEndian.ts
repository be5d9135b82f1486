/**
 * 64-bit big-endian fields as numbers. Everything the store keeps (positions, times, queue offsets, tag hashes) is exact
 * below 2^53; raw values beyond it are read with `getBigInt64` where they can occur.
 */
const HALF = 0x1_0000_0000

export const getInt64 = (view: DataView, offset: number): number =>
  view.getInt32(offset) * HALF + view.getUint32(offset + 4)

export const putInt64 = (view: DataView, offset: number, value: number): void => {
  view.setInt32(offset, Math.floor(value / HALF))
  view.setInt32(offset + 4, value | 0)
}
