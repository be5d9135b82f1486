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

/** A text taken apart: it has a `host` or the `name` of an interface. */
export interface InterfaceForm {
  readonly name: string | undefined
  readonly host: string | undefined
  readonly port: number
  readonly mask: number | undefined
}

/** Undefined for what has another form. */
export const parse = (text: string): InterfaceForm | undefined => {
  const groups = FORM.exec(text)?.groups
  const port = Number(groups?.port ?? 0)
  return groups === undefined || port > SocketAddress.PORT_MAX
    ? undefined
    : {
        name: groups.name,
        host: groups.ipv6 ?? groups.host,
        port,
        mask: groups.mask === undefined ? undefined : Number(groups.mask)
      }
}

/** The address that is meant, or else what is allowed. */
export const search = (
  { host, mask, name, port }: InterfaceForm,
  family: SocketAddress.Family,
  interfaces: ReadonlyArray<LocalInterface>
): SocketAddress.SocketAddress | string => {
  const length = family === 4 ? 4 : 16
  if (host === undefined) {
    const named = interfaces.find((local) => local.name === name && local.address.length === length)
    return named === undefined
      ? `an interface of this machine with an IPv${family} address: ${namesOf(interfaces, length)} (unknown interface ${name})`
      : new SocketAddress.SocketAddress(named.address, port)
  }
  const wanted = SocketAddress.parseAddress(host === "localhost" ? (family === 4 ? "127.0.0.1" : "::1") : host)
  if (wanted === undefined || wanted.length !== length) {
    return `an IPv${family} address, as the endpoint is`
  }
  const isAny = wanted.every((byte) => byte === 0)
  if (isAny) {
    return new SocketAddress.SocketAddress(wanted, port)
  }
  // The most specific address that matches: with a mask of its whole length that is the address itself.
  const bits = Math.min(mask ?? Infinity, length * 8)
  const found = interfaces.find(({ address }) => matches(address, wanted, bits))
  return found === undefined
    ? `an address of this machine: ${addressesOf(interfaces)}`
    : new SocketAddress.SocketAddress(found.address, port)
}

export const find = (
  uri: ChannelUri,
  text: string,
  family: SocketAddress.Family,
  interfaces: ReadonlyArray<LocalInterface>
): SocketAddress.SocketAddress => {
  const form = parse(text)
  const found = form === undefined ? "address[:port][/maskbits] or {name}[:port]" : search(form, family, interfaces)
  if (typeof found === "string") {
    throw fault(uri, "interface", text, found)
  }
  return found
}

const namesOf = (interfaces: ReadonlyArray<LocalInterface>, length: number): string =>
  Array.from(new Set(interfaces.filter(({ address }) => address.length === length).map(({ name }) => name))).join(", ")

const addressesOf = (interfaces: ReadonlyArray<LocalInterface>): string =>
  interfaces.map(({ address }) => SocketAddress.formatAddress(address)).join(", ")
