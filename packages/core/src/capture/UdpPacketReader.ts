/** Finds the UDP payload in a captured packet: through the link layer, IPv4 or IPv6, and what stands between. */
import * as LinkType from "./LinkType.ts"
import type { Packet } from "./Packet.ts"
import * as PacketDescriptor from "./PacketDescriptor.ts"

/** Where a UDP datagram lies in the bytes of its packet. */
export interface UdpPacket {
  readonly sourceAddress: Uint8Array
  readonly sourcePort: number
  readonly targetAddress: Uint8Array
  readonly targetPort: number
  readonly payload: Uint8Array
}

/** Why a packet gives no UDP payload. */
export type NoPayload =
  /** The link type is not one of `LinkType`. */
  | "UnknownLink"
  /** Another protocol than UDP, or not IP at all. */
  | "NotUdp"
  /** One part of a datagram that was cut into IP packets. They are not put together again. */
  | "Fragment"
  /** The packet ends before its headers say, or was cut when it was captured. */
  | "Truncated"

export const read = (packet: Packet): UdpPacket | NoPayload => {
  const { bytes } = packet
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const offset = networkOffset(view, packet.linkType)
  if (typeof offset !== "number") {
    return offset
  }
  if (offset >= bytes.length) {
    return "Truncated"
  }
  const version = view.getUint8(offset) >> 4
  return version === 4 ? readIpv4(view, offset) : version === 6 ? readIpv6(view, offset) : "NotUdp"
}

/** Where the IP header begins, or why there is none. */
const networkOffset = (view: DataView<ArrayBuffer>, linkType: number): number | NoPayload => {
  switch (linkType) {
    case LinkType.RAW:
    case LinkType.IPV4:
    case LinkType.IPV6:
      return 0
    case LinkType.ETHERNET:
      return ethernetBody(view)
    case LinkType.LINUX_COOKED:
      return bodyOf(view, PacketDescriptor.COOKED_PROTOCOL_OFFSET, PacketDescriptor.COOKED_HEADER_LENGTH)
    case LinkType.LINUX_COOKED_2:
      return bodyOf(view, PacketDescriptor.COOKED_2_PROTOCOL_OFFSET, PacketDescriptor.COOKED_2_HEADER_LENGTH)
    case LinkType.NULL:
    case LinkType.LOOP:
      return familyBody(view)
    default:
      return "UnknownLink"
  }
}

const ethernetBody = (view: DataView<ArrayBuffer>): number | NoPayload => {
  let typeOffset = PacketDescriptor.ETHERNET_TYPE_OFFSET
  let headerLength = PacketDescriptor.ETHERNET_HEADER_LENGTH
  while (headerLength <= view.byteLength && isVlan(view.getUint16(typeOffset))) {
    typeOffset += PacketDescriptor.VLAN_TAG_LENGTH
    headerLength += PacketDescriptor.VLAN_TAG_LENGTH
  }
  return bodyOf(view, typeOffset, headerLength)
}

const isVlan = (type: number): boolean =>
  type === PacketDescriptor.ETHER_TYPE_VLAN || type === PacketDescriptor.ETHER_TYPE_SERVICE_VLAN

const bodyOf = (view: DataView<ArrayBuffer>, typeOffset: number, headerLength: number): number | NoPayload => {
  if (view.byteLength < headerLength) {
    return "Truncated"
  }
  const type = view.getUint16(typeOffset)
  return type === PacketDescriptor.ETHER_TYPE_IPV4 || type === PacketDescriptor.ETHER_TYPE_IPV6
    ? headerLength
    : "NotUdp"
}

/** The family is in the byte order of another machine, and small: so one reading of it is small. */
const familyBody = (view: DataView<ArrayBuffer>): number | NoPayload => {
  if (view.byteLength < PacketDescriptor.FAMILY_HEADER_LENGTH) {
    return "Truncated"
  }
  const family = Math.min(view.getUint32(0), view.getUint32(0, true))
  return family === PacketDescriptor.FAMILY_IPV4 || PacketDescriptor.FAMILIES_IPV6.includes(family)
    ? PacketDescriptor.FAMILY_HEADER_LENGTH
    : "NotUdp"
}

const readIpv4 = (view: DataView<ArrayBuffer>, offset: number): UdpPacket | NoPayload => {
  if (offset + PacketDescriptor.IPV4_HEADER_LENGTH > view.byteLength) {
    return "Truncated"
  }
  const headerLength = (view.getUint8(offset) & 0x0f) * 4
  const totalLength = view.getUint16(offset + PacketDescriptor.IPV4_TOTAL_LENGTH_OFFSET)
  if (headerLength < PacketDescriptor.IPV4_HEADER_LENGTH) {
    return "NotUdp"
  }
  if (view.getUint8(offset + PacketDescriptor.IPV4_PROTOCOL_OFFSET) !== PacketDescriptor.PROTOCOL_UDP) {
    return "NotUdp"
  }
  const fragment = view.getUint16(offset + PacketDescriptor.IPV4_FRAGMENT_OFFSET)
  if ((fragment & PacketDescriptor.IPV4_FRAGMENT_MASK) !== 0) {
    return "Fragment"
  }
  return readUdp(
    view,
    offset + headerLength,
    offset + totalLength,
    offset + PacketDescriptor.IPV4_SOURCE_OFFSET,
    offset + PacketDescriptor.IPV4_TARGET_OFFSET,
    PacketDescriptor.IPV4_ADDRESS_LENGTH
  )
}

const readIpv6 = (view: DataView<ArrayBuffer>, offset: number): UdpPacket | NoPayload => {
  let headerEnd = offset + PacketDescriptor.IPV6_HEADER_LENGTH
  if (headerEnd > view.byteLength) {
    return "Truncated"
  }
  const end = headerEnd + view.getUint16(offset + PacketDescriptor.IPV6_PAYLOAD_LENGTH_OFFSET)
  let nextHeader = view.getUint8(offset + PacketDescriptor.IPV6_NEXT_HEADER_OFFSET)
  while (PacketDescriptor.IPV6_EXTENSIONS.includes(nextHeader)) {
    if (headerEnd + PacketDescriptor.IPV6_EXTENSION_UNIT > view.byteLength) {
      return "Truncated"
    }
    nextHeader = view.getUint8(headerEnd + PacketDescriptor.IPV6_EXTENSION_NEXT_HEADER_OFFSET)
    const units = view.getUint8(headerEnd + PacketDescriptor.IPV6_EXTENSION_LENGTH_OFFSET) + 1
    headerEnd += units * PacketDescriptor.IPV6_EXTENSION_UNIT
  }
  if (nextHeader !== PacketDescriptor.PROTOCOL_UDP) {
    return nextHeader === PacketDescriptor.IPV6_FRAGMENT ? "Fragment" : "NotUdp"
  }
  return readUdp(
    view,
    headerEnd,
    end,
    offset + PacketDescriptor.IPV6_SOURCE_OFFSET,
    offset + PacketDescriptor.IPV6_TARGET_OFFSET,
    PacketDescriptor.IPV6_ADDRESS_LENGTH
  )
}

const readUdp = (
  view: DataView<ArrayBuffer>,
  offset: number,
  end: number,
  sourceOffset: number,
  targetOffset: number,
  addressLength: number
): UdpPacket | NoPayload => {
  if (offset + PacketDescriptor.UDP_HEADER_LENGTH > view.byteLength) {
    return "Truncated"
  }
  const udpLength = view.getUint16(offset + PacketDescriptor.UDP_LENGTH_OFFSET)
  const payloadEnd = offset + udpLength
  if (udpLength < PacketDescriptor.UDP_HEADER_LENGTH || payloadEnd > end || payloadEnd > view.byteLength) {
    return "Truncated"
  }
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  return {
    sourceAddress: bytes.subarray(sourceOffset, sourceOffset + addressLength),
    sourcePort: view.getUint16(offset + PacketDescriptor.UDP_SOURCE_PORT_OFFSET),
    targetAddress: bytes.subarray(targetOffset, targetOffset + addressLength),
    targetPort: view.getUint16(offset + PacketDescriptor.UDP_TARGET_PORT_OFFSET),
    payload: bytes.subarray(offset + PacketDescriptor.UDP_HEADER_LENGTH, payloadEnd)
  }
}
