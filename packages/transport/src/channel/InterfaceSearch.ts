/**
 * Finds the local address that `interface` means: an address, an address with a mask that one of this machine's must
 * match, or the name of an interface in braces.
 */
import type { ChannelUri } from "./ChannelUri.ts"
import { fault } from "./ParameterValue.ts"
import * as SocketAddress from "./SocketAddress.ts"

/** An address of this machine. */
export interface LocalInterface {
  readonly name: string
  readonly address: Uint8Array
  /** Index by which the system knows it. */
  readonly scopeId: number
}

const FORM =
  /^(?:\{(?<name>[^}]+)\}|\[(?<ipv6>[^\]]+)\]|(?<host>[^:[\]/]+))(?::(?<port>\d{1,5}))?(?:\/(?<mask>\d{1,3}))?$/

/** Whether the first `bits` bits of two addresses of one family are the same. */
const matches = (a: Uint8Array, b: Uint8Array, bits: number): boolean => {
  if (a.length !== b.length) {
    return false
  }
  for (let bit = 0; bit < bits; bit++) {
    const mask = 0x80 >>> (bit & 7)
    if ((a[bit >>> 3]! & mask) !== (b[bit >>> 3]! & mask)) {
      return false
    }
  }
  return true
}

export const find = (
  uri: ChannelUri,
  text: string,
  family: SocketAddress.Family,
  interfaces: ReadonlyArray<LocalInterface>
): SocketAddress.SocketAddress => {
  const groups = FORM.exec(text)?.groups
  const port = Number(groups?.port ?? 0)
  if (groups === undefined || port > SocketAddress.PORT_MAX) {
    throw fault(uri, "interface", text, "address[:port][/maskbits] or {name}[:port]")
  }
  const length = family === 4 ? 4 : 16
  if (groups.name !== undefined) {
    const named = interfaces.find(({ address, name }) => name === groups.name && address.length === length)
    if (named === undefined) {
      throw fault(uri, "interface", text, `an interface of this machine: ${namesOf(interfaces)}`)
    }
    return new SocketAddress.SocketAddress(named.address, port)
  }
  const host = (groups.ipv6 ?? groups.host)!
  const wanted = SocketAddress.parseAddress(host === "localhost" ? (family === 4 ? "127.0.0.1" : "::1") : host)
  if (wanted === undefined || wanted.length !== length) {
    throw fault(uri, "interface", text, `an IPv${family} address, as the endpoint is`)
  }
  const isAny = wanted.every((byte) => byte === 0)
  const bits = groups.mask === undefined ? length * 8 : Number(groups.mask)
  if (isAny) {
    return new SocketAddress.SocketAddress(wanted, port)
  }
  // The most specific address that matches: with a mask of its whole length that is the address itself.
  const found = interfaces.find(({ address }) => matches(address, wanted, Math.min(bits, length * 8)))
  if (found === undefined) {
    throw fault(uri, "interface", text, `an address of this machine: ${addressesOf(interfaces)}`)
  }
  return new SocketAddress.SocketAddress(found.address, port)
}

const namesOf = (interfaces: ReadonlyArray<LocalInterface>): string =>
  Array.from(new Set(interfaces.map(({ name }) => name))).join(", ")

const addressesOf = (interfaces: ReadonlyArray<LocalInterface>): string =>
  interfaces.map(({ address }) => SocketAddress.formatAddress(address)).join(", ")
