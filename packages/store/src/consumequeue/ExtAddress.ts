/**
 * The address of a unit of an extended consume queue, where an entry of the queue else has its tags code: its position
 * plus -2^63. No number is exact there, so addresses are read and written by halves.
 */
import { getInt64 } from "../mapped/BigEndian.ts"
import * as EntryDescriptor from "./EntryDescriptor.ts"

const HALF = 0x1_0000_0000
const SIGN = 0x8000_0000

/** Position of the unit whose address stands at `offset`; -1 where a tags code does. */
export const read = (view: DataView, offset: number): number =>
  getInt64(view, offset) <= EntryDescriptor.EXTENSION_ADDRESS_MAX
    ? (view.getInt32(offset) + SIGN) * HALF + view.getUint32(offset + 4)
    : -1

export const write = (view: DataView, offset: number, position: number): void => {
  view.setInt32(offset, Math.floor(position / HALF) - SIGN)
  view.setInt32(offset + 4, position | 0)
}
