/**
 * One entry of a RES frame: a name and the address a driver of that name is found at. Little-endian; every entry
 * starts at a multiple of 8 from the beginning of the frame.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------+-+-------------+-------------------------------+
 *  0| resolution    |S|      0      |           UDP port            |
 *   +---------------+-+-------------+-------------------------------+
 *  4|                      age in milliseconds                      |
 *   +---------------------------------------------------------------+
 *  8|             address: 4 bytes of IPv4 or 16 of IPv6           ...
 *   +-------------------------------+-------------------------------+
 * 12|  name length, 1 to 512        |   name, then alignment       ...
 *   +-------------------------------+-------------------------------+
 * ```
 *
 * The resolution type says which: 1 for IPv4 (name length at 12), 2 for IPv6 (name length at 24). S marks the entry of
 * the driver that sends it (`FrameFlags.RES_SELF`); if its address is the wildcard, it is where the frame came from.
 */
import { align } from "../memory/Alignment.ts"
import { assert } from "../memory/Assert.ts"
import type { FrameBuffer } from "./FrameBuffer.ts"
import * as FrameFault from "./FrameFault.ts"
import * as FrameText from "./FrameText.ts"

export const RESOLUTION_TYPE_FIELD_OFFSET = 0
export const FLAGS_FIELD_OFFSET = 1
export const UDP_PORT_FIELD_OFFSET = 2
export const AGE_FIELD_OFFSET = 4
export const ADDRESS_FIELD_OFFSET = 8
/** Entries are aligned to this. */
export const ENTRY_ALIGNMENT = 8

export const TYPE_NAME_TO_IP4 = 1
export const TYPE_NAME_TO_IP6 = 2
export const ADDRESS_LENGTH_IP4 = 4
export const ADDRESS_LENGTH_IP6 = 16
export const NAME_LENGTH_FIELD_OFFSET_IP4 = 12
export const NAME_LENGTH_FIELD_OFFSET_IP6 = 24
const NAME_LENGTH_FIELD_LENGTH = 2
/** The longest name in bytes. */
export const MAX_NAME_LENGTH = 512

assert(NAME_LENGTH_FIELD_OFFSET_IP4 === ADDRESS_FIELD_OFFSET + ADDRESS_LENGTH_IP4, "the name follows an IPv4 address")
assert(NAME_LENGTH_FIELD_OFFSET_IP6 === ADDRESS_FIELD_OFFSET + ADDRESS_LENGTH_IP6, "the name follows an IPv6 address")

export const resolutionType = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getUint8(offset + RESOLUTION_TYPE_FIELD_OFFSET)

export const flags = (buffer: FrameBuffer, offset: number): number => buffer.view.getUint8(offset + FLAGS_FIELD_OFFSET)

export const udpPort = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getUint16(offset + UDP_PORT_FIELD_OFFSET, true)

export const ageMs = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + AGE_FIELD_OFFSET, true)

/** Bytes of the address: 4 or 16, by the resolution type. The address is at `ADDRESS_FIELD_OFFSET`. */
export const addressLength = (buffer: FrameBuffer, offset: number): number =>
  resolutionType(buffer, offset) === TYPE_NAME_TO_IP6 ? ADDRESS_LENGTH_IP6 : ADDRESS_LENGTH_IP4

const nameLengthOffset = (buffer: FrameBuffer, offset: number): number =>
  offset + ADDRESS_FIELD_OFFSET + addressLength(buffer, offset)

export const nameLength = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt16(nameLengthOffset(buffer, offset), true)

export const nameOffset = (buffer: FrameBuffer, offset: number): number =>
  nameLengthOffset(buffer, offset) + NAME_LENGTH_FIELD_LENGTH

export const name = (buffer: FrameBuffer, offset: number): string =>
  FrameText.read(buffer, nameOffset(buffer, offset), nameLength(buffer, offset))

/** Length in bytes of an entry with an address and a name of these lengths, alignment included. */
export const entryLength = (addressLength: number, nameLength: number): number =>
  align(ADDRESS_FIELD_OFFSET + addressLength + NAME_LENGTH_FIELD_LENGTH + nameLength, ENTRY_ALIGNMENT)

/** Bytes of alignment behind the name. */
export const paddingLength = (addressLength: number, nameLength: number): number =>
  entryLength(addressLength, nameLength) -
  (ADDRESS_FIELD_OFFSET + addressLength + NAME_LENGTH_FIELD_LENGTH + nameLength)

/** Checks that a whole entry lies in the `available` bytes. Returns its length with alignment, or a fault. */
export const validate = (buffer: FrameBuffer, offset: number, available: number): number => {
  if (available < entryLength(ADDRESS_LENGTH_IP4, 1)) {
    return FrameFault.ENTRY
  }
  const type = resolutionType(buffer, offset)
  if (type !== TYPE_NAME_TO_IP4 && type !== TYPE_NAME_TO_IP6) {
    return FrameFault.ENTRY
  }
  const address = addressLength(buffer, offset)
  if (available < entryLength(address, 1)) {
    return FrameFault.ENTRY
  }
  const name = nameLength(buffer, offset)
  if (name < 1 || name > MAX_NAME_LENGTH) {
    return FrameFault.ENTRY
  }
  const length = entryLength(address, name)
  return length > available ? FrameFault.ENTRY : length
}

/** Writes an entry with its alignment; the address has 4 or 16 bytes and chooses the type. Returns its length. */
export const write = (
  buffer: FrameBuffer,
  offset: number,
  flags: number,
  udpPort: number,
  ageMs: number,
  address: Uint8Array,
  name: string
): number => {
  assert(address.length === ADDRESS_LENGTH_IP4 || address.length === ADDRESS_LENGTH_IP6, "an address has 4 or 16 bytes")
  assert(name.length >= 1 && name.length <= MAX_NAME_LENGTH, "a name has 1 to 512 bytes")
  const { bytes, view } = buffer
  const length = entryLength(address.length, name.length)
  const type = address.length === ADDRESS_LENGTH_IP6 ? TYPE_NAME_TO_IP6 : TYPE_NAME_TO_IP4
  bytes.fill(0, offset, offset + length)
  view.setUint8(offset + RESOLUTION_TYPE_FIELD_OFFSET, type)
  view.setUint8(offset + FLAGS_FIELD_OFFSET, flags)
  view.setUint16(offset + UDP_PORT_FIELD_OFFSET, udpPort, true)
  view.setInt32(offset + AGE_FIELD_OFFSET, ageMs, true)
  bytes.set(address, offset + ADDRESS_FIELD_OFFSET)
  view.setInt16(nameLengthOffset(buffer, offset), name.length, true)
  FrameText.write(buffer, nameOffset(buffer, offset), name, name.length)
  return length
}
