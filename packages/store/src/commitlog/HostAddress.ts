/**
 * A host as records hold it: the address in network order (4 or 16 bytes), then the port as an int. In text it is
 * `10.1.2.3:40123` or `[2001:db8::17]:40123`; IPv6 is printed as Java prints it, eight groups without compression.
 */
import * as RecordDescriptor from "./RecordDescriptor.ts"

const PORT_MAX = 65535
const PORT_LENGTH = 4

/** The bytes of a host, or undefined where the text is none. */
export const parse = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  const colon = text.lastIndexOf(":")
  const port = Number(text.slice(colon + 1))
  if (colon <= 0 || !/^\d{1,5}$/.test(text.slice(colon + 1)) || port > PORT_MAX) {
    return undefined
  }
  const address = text.slice(0, colon)
  const octets = address.startsWith("[") && address.endsWith("]") ? parseIpv6(address.slice(1, -1)) : parseIpv4(address)
  if (octets === undefined) {
    return undefined
  }
  const bytes = new Uint8Array(octets.length + PORT_LENGTH)
  bytes.set(octets)
  new DataView(bytes.buffer).setInt32(octets.length, port)
  return bytes
}

const parseIpv4 = (text: string): Array<number> | undefined => {
  const parts = text.split(".")
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)
    ? parts.map(Number)
    : undefined
}

const parseIpv6 = (text: string): Array<number> | undefined => {
  const halves = text.split("::")
  if (halves.length > 2) {
    return undefined
  }
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")))
  const head = groups[0]!
  const tail = groups[1] ?? []
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) {
    return undefined
  }
  const all = [...head, ...Array.from({ length: halves.length === 1 ? 0 : missing }, () => "0"), ...tail]
  if (!all.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) {
    return undefined
  }
  return all.flatMap((group) => [Number.parseInt(group, 16) >>> 8, Number.parseInt(group, 16) & 0xff])
}

/** IPv4 hosts that were made text of: their text took longer than all other fields of a message. */
const KNOWN_BITS = 6
const KNOWN_COUNT = 1 << KNOWN_BITS
const knownAddresses = new Int32Array(KNOWN_COUNT)
const knownPorts = new Int32Array(KNOWN_COUNT)
const knownTexts: Array<string> = Array.from({ length: KNOWN_COUNT }, () => "0.0.0.0:0")

const formatIpv4 = (address: number, port: number): string => {
  const place = Math.imul(address ^ Math.imul(port, 31), 0x9e3779b1) >>> (32 - KNOWN_BITS)
  if (knownAddresses[place] !== address || knownPorts[place] !== port) {
    knownAddresses[place] = address
    knownPorts[place] = port
    knownTexts[place] =
      `${address >>> 24}.${(address >>> 16) & 0xff}.${(address >>> 8) & 0xff}.${address & 0xff}:${port}`
  }
  return knownTexts[place]!
}

/** The text of the host at `offset`, which has `length` bytes (8 or 20). */
export const format = (view: DataView, offset: number, length: number): string => {
  const port = view.getInt32(offset + length - PORT_LENGTH)
  if (length === RecordDescriptor.HOST_LENGTH_IPV4) {
    return formatIpv4(view.getInt32(offset), port)
  }
  const groups: Array<string> = []
  for (let group = 0; group < 8; group++) {
    groups.push(view.getUint16(offset + group * 2).toString(16))
  }
  return `[${groups.join(":")}]:${port}`
}
