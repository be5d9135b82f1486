/**
 * An IP address and a port, and the `host:port` of channel URIs: an IPv6 literal stands in brackets, and whatever is no
 * literal is a name that has to be looked up.
 */

export type Family = 4 | 6

export const PORT_MAX = 65_535

const IPV4_LENGTH = 4
const IPV6_LENGTH = 16
const IPV6_GROUPS = 8

export class SocketAddress {
  /** 4 or 16 bytes, in network order. */
  readonly address: Uint8Array
  readonly port: number
  readonly family: Family
  /** As in labels: `127.0.0.1:40123`, `[::1]:40123`. */
  readonly text: string

  constructor(address: Uint8Array, port: number) {
    this.address = address
    this.port = port
    this.family = address.length === IPV4_LENGTH ? 4 : 6
    const host = formatAddress(address)
    this.text = this.family === 4 ? `${host}:${port}` : `[${host}]:${port}`
  }

  get host(): string {
    return formatAddress(this.address)
  }

  get isMulticast(): boolean {
    return this.family === 4 ? (this.address[0]! & 0xf0) === 0xe0 : this.address[0] === 0xff
  }

  /** The wildcard address. */
  get isAny(): boolean {
    return this.address.every((byte) => byte === 0)
  }

  equals(other: SocketAddress): boolean {
    return this.port === other.port && this.text === other.text
  }
}

export const any = (family: Family, port = 0): SocketAddress =>
  new SocketAddress(new Uint8Array(family === 4 ? IPV4_LENGTH : IPV6_LENGTH), port)

const parseIpv4 = (text: string): Uint8Array | undefined => {
  const parts = text.split(".")
  if (parts.length !== IPV4_LENGTH || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) {
    return undefined
  }
  return Uint8Array.from(parts, Number)
}

/** The 16-bit groups of one side of `::`; the last may be an IPv4 address. */
const parseGroups = (text: string): ReadonlyArray<number> | undefined => {
  if (text === "") {
    return []
  }
  const groups: Array<number> = []
  for (const part of text.split(":")) {
    const embedded = part.includes(".") ? parseIpv4(part) : undefined
    if (embedded !== undefined) {
      groups.push(embedded[0]! * 256 + embedded[1]!, embedded[2]! * 256 + embedded[3]!)
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16))
    } else {
      return undefined
    }
  }
  return groups
}

const parseIpv6 = (text: string): Uint8Array | undefined => {
  const withoutZone = text.split("%")[0]!
  const sides = withoutZone.split("::")
  const head = parseGroups(sides[0]!)
  const tail = sides.length === 2 ? parseGroups(sides[1]!) : []
  if (sides.length > 2 || head === undefined || tail === undefined) {
    return undefined
  }
  const missing = IPV6_GROUPS - head.length - tail.length
  if (sides.length === 2 ? missing < 1 : missing !== 0) {
    return undefined
  }
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...tail]
  return Uint8Array.from(groups.flatMap((group) => [group >>> 8, group & 0xff]))
}

/** The bytes of a literal address, without brackets; undefined for a name. */
export const parseAddress = (text: string): Uint8Array | undefined => parseIpv4(text) ?? parseIpv6(text)

/** `host:port` taken apart. Undefined when it has not this form. */
export const splitHostPort = (text: string): { readonly host: string; readonly port: number } | undefined => {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  return match === null || port > PORT_MAX ? undefined : { host: (match[1] ?? match[2])!, port }
}

/** The longest run of zero groups, at least two, is written as `::`. */
const formatIpv6 = (address: Uint8Array): string => {
  const groups = Array.from({ length: IPV6_GROUPS }, (_, index) => address[2 * index]! * 256 + address[2 * index + 1]!)
  let bestStart = -1
  let bestLength = 1
  for (let start = 0; start < IPV6_GROUPS; start++) {
    let length = 0
    while (start + length < IPV6_GROUPS && groups[start + length] === 0) {
      length++
    }
    if (length > bestLength) {
      bestStart = start
      bestLength = length
    }
  }
  const hex = (part: ReadonlyArray<number>): string => part.map((group) => group.toString(16)).join(":")
  return bestStart === -1
    ? hex(groups)
    : `${hex(groups.slice(0, bestStart))}::${hex(groups.slice(bestStart + bestLength))}`
}

export const formatAddress = (address: Uint8Array): string =>
  address.length === IPV4_LENGTH ? address.join(".") : formatIpv6(address)
