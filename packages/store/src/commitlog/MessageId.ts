/**
 * offsetMsgId: the host that stores a message and its physical offset, in upper-case hex: 32 characters for IPv4, 56 for
 * IPv6. It names the record by itself, without any index.
 */
import * as RecordDescriptor from "./RecordDescriptor.ts"

const POSITION_LENGTH = 8

const HALF = 0x1_0000_0000
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, "0"))

export const format = (storeHost: Uint8Array, position: number): string => {
  let text = ""
  for (let index = 0; index < storeHost.length; index++) {
    text += pairs[storeHost[index]!]
  }
  return text + word(Math.floor(position / HALF)) + word(position)
}

/** The lower 32 bits of a number in hex. */
const word = (value: number): string =>
  `${pairs[(value >>> 24) & 0xff]}${pairs[(value >>> 16) & 0xff]}${pairs[(value >>> 8) & 0xff]}${pairs[value & 0xff]}`

/** The physical offset inside an offsetMsgId, or -1 where the text is none. */
export const positionOf = (id: string): number => {
  const isId =
    id.length === 2 * (RecordDescriptor.HOST_LENGTH_IPV4 + POSITION_LENGTH) ||
    id.length === 2 * (RecordDescriptor.HOST_LENGTH_IPV6 + POSITION_LENGTH)
  if (!isId || !/^[0-9a-fA-F]+$/.test(id)) {
    return -1
  }
  const position = Number.parseInt(id.slice(-2 * POSITION_LENGTH), 16)
  return Number.isSafeInteger(position) ? position : -1
}
