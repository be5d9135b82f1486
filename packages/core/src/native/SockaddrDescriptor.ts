/**
 * `struct sockaddr_in` and `struct sockaddr_in6` of Linux. The port and the address are in network order.
 *
 * ```
 *   0          2          4                     8                             16                       24         28
 *  +----------+----------+---------------------+-----------------------------+
 *  | family   | port     | IPv4 address        | zero                        |
 *  +----------+----------+---------------------+-----------------------------+------------------------+----------+
 *  | family   | port     | flow information    | IPv6 address (16 bytes)                              | scope    |
 *  +----------+----------+---------------------+------------------------------------------------------+----------+
 * ```
 */
export const AF_INET = 2
export const AF_INET6 = 10

const PORT_OFFSET = 2
const IPV4_OFFSET = 4
const IPV6_OFFSET = 8
const SCOPE_OFFSET = 24
const IPV4_LENGTH = 4
const IPV6_LENGTH = 16

/** Room for either. */
export const LENGTH_MAX = 28
const LENGTH_IPV4 = 16

/** An address of the internet: 4 or 16 bytes in network order, a port, and for link-local IPv6 the interface's index. */
export interface InternetAddress {
  readonly address: Uint8Array
  readonly port: number
  readonly scopeId?: number
}

export const familyOf = (address: Uint8Array): number => (address.length === IPV4_LENGTH ? AF_INET : AF_INET6)

export const lengthOf = (address: Uint8Array): number => (address.length === IPV4_LENGTH ? LENGTH_IPV4 : LENGTH_MAX)

export const encode = ({ address, port, scopeId = 0 }: InternetAddress): Uint8Array => {
  const bytes = new Uint8Array(lengthOf(address))
  const view = new DataView(bytes.buffer)
  view.setUint16(0, familyOf(address), true)
  view.setUint16(PORT_OFFSET, port)
  if (address.length === IPV4_LENGTH) {
    bytes.set(address, IPV4_OFFSET)
  } else {
    bytes.set(address, IPV6_OFFSET)
    view.setUint32(SCOPE_OFFSET, scopeId, true)
  }
  return bytes
}

export const decode = (bytes: Uint8Array, offset = 0): InternetAddress => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, LENGTH_MAX)
  const port = view.getUint16(PORT_OFFSET)
  if (view.getUint16(0, true) === AF_INET) {
    return { address: bytes.slice(offset + IPV4_OFFSET, offset + IPV4_OFFSET + IPV4_LENGTH), port }
  }
  return {
    address: bytes.slice(offset + IPV6_OFFSET, offset + IPV6_OFFSET + IPV6_LENGTH),
    port,
    scopeId: view.getUint32(SCOPE_OFFSET, true)
  }
}
