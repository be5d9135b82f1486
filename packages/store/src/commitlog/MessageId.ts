/**
 * offsetMsgId: the host that stores a message and its physical offset, in upper-case hex: 32 characters for IPv4, 56 for
 * IPv6. It names the record by itself, without any index.
 */
import * as RecordDescriptor from "./RecordDescriptor.ts"

const POSITION_LENGTH = 8

export const format = (storeHost: Uint8Array, position: number): string => {
  let text = ""
  for (const byte of storeHost) {
    text += byte.toString(16).padStart(2, "0")
  }
  return (text + position.toString(16).padStart(POSITION_LENGTH * 2, "0")).toUpperCase()
}

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
