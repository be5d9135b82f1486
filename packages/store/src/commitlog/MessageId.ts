/**
 * offsetMsgId: the host that stores a message and its physical offset, in upper-case hex: 32 characters for IPv4, 56 for
 * IPv6. It names the record by itself, without any index.
 */
import * as RecordDescriptor from "./RecordDescriptor.ts"

const POSITION_LENGTH = 8

const HALF = 0x1_0000_0000
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, "0"))

/** What the last id of an IPv4 host begins with: the host, and the upper half of the position. */
let lastAddress = 0
let lastPort = 0
let lastHigh = 0
let lastHead = "0".repeat(24)

/** The id of the record at `position`, whose store host has `length` bytes (8 or 20) at `hostAt`. */
export const format = (view: DataView, hostAt: number, length: number, position: number): string => {
  const high = Math.floor(position / HALF)
  if (length !== RecordDescriptor.HOST_LENGTH_IPV4) {
    return headOf(view, hostAt, length, high) + word(position)
  }
  const address = view.getInt32(hostAt)
  const port = view.getInt32(hostAt + 4)
  if (address !== lastAddress || port !== lastPort || high !== lastHigh) {
    lastAddress = address
    lastPort = port
    lastHigh = high
    lastHead = headOf(view, hostAt, length, high)
  }
  return lastHead + word(position)
}

const headOf = (view: DataView, hostAt: number, length: number, high: number): string => {
  let text = ""
  for (let at = hostAt; at < hostAt + length; at++) {
    text += pairs[view.getUint8(at)]!
  }
  return text + word(high)
}

/** The lower 32 bits of a number in hex. */
const word = (value: number): string =>
  pairs[(value >>> 24) & 0xff]! + pairs[(value >>> 16) & 0xff]! + pairs[(value >>> 8) & 0xff]! + pairs[value & 0xff]!

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
