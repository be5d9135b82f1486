/** Puts IPv4 or IPv6 and UDP headers with right checksums around a payload, so that other tools read it. */
import { assert } from "../memory/Assert.ts"
import * as PacketDescriptor from "./PacketDescriptor.ts"
import type { UdpPacket } from "./UdpPacketReader.ts"

const HOPS = 64

/** The IP packet of a datagram. Both addresses are of one family, the payload has at most 65,507 bytes. */
export const write = (packet: UdpPacket): Uint8Array<ArrayBuffer> => {
  const { sourceAddress, targetAddress, payload } = packet
  assert(sourceAddress.length === targetAddress.length, "both addresses of a datagram are of one family")
  assert(payload.length <= PacketDescriptor.MAX_UDP_PAYLOAD_LENGTH, "a UDP payload has 65507 bytes at most")
  assert(isPort(packet.sourcePort) && isPort(packet.targetPort), "a UDP port is two bytes")
  const isIpv6 = sourceAddress.length === PacketDescriptor.IPV6_ADDRESS_LENGTH
  const headerLength = isIpv6 ? PacketDescriptor.IPV6_HEADER_LENGTH : PacketDescriptor.IPV4_HEADER_LENGTH
  const udpLength = PacketDescriptor.UDP_HEADER_LENGTH + payload.length
  const bytes = new Uint8Array(headerLength + udpLength)
  const view = new DataView(bytes.buffer)
  bytes.set(payload, headerLength + PacketDescriptor.UDP_HEADER_LENGTH)
  view.setUint16(headerLength + PacketDescriptor.UDP_SOURCE_PORT_OFFSET, packet.sourcePort)
  view.setUint16(headerLength + PacketDescriptor.UDP_TARGET_PORT_OFFSET, packet.targetPort)
  view.setUint16(headerLength + PacketDescriptor.UDP_LENGTH_OFFSET, udpLength)
  if (isIpv6) {
    writeIpv6(bytes, view, packet, udpLength)
  } else {
    writeIpv4(bytes, view, packet, udpLength)
  }
  return bytes
}

const isPort = (port: number): boolean => port === (port & 0xffff)

const writeIpv4 = (bytes: Uint8Array, view: DataView, packet: UdpPacket, udpLength: number): void => {
  view.setUint8(0, 0x45)
  view.setUint16(PacketDescriptor.IPV4_TOTAL_LENGTH_OFFSET, PacketDescriptor.IPV4_HEADER_LENGTH + udpLength)
  view.setUint16(PacketDescriptor.IPV4_FRAGMENT_OFFSET, PacketDescriptor.IPV4_DONT_FRAGMENT)
  view.setUint8(PacketDescriptor.IPV4_HOPS_OFFSET, HOPS)
  view.setUint8(PacketDescriptor.IPV4_PROTOCOL_OFFSET, PacketDescriptor.PROTOCOL_UDP)
  bytes.set(packet.sourceAddress, PacketDescriptor.IPV4_SOURCE_OFFSET)
  bytes.set(packet.targetAddress, PacketDescriptor.IPV4_TARGET_OFFSET)
  const headerSum = sum(view, 0, PacketDescriptor.IPV4_HEADER_LENGTH)
  view.setUint16(PacketDescriptor.IPV4_CHECKSUM_OFFSET, checksum(headerSum))
  writeUdpChecksum(view, PacketDescriptor.IPV4_HEADER_LENGTH, PacketDescriptor.IPV4_SOURCE_OFFSET, udpLength)
}

const writeIpv6 = (bytes: Uint8Array, view: DataView, packet: UdpPacket, udpLength: number): void => {
  view.setUint8(0, 0x60)
  view.setUint16(PacketDescriptor.IPV6_PAYLOAD_LENGTH_OFFSET, udpLength)
  view.setUint8(PacketDescriptor.IPV6_NEXT_HEADER_OFFSET, PacketDescriptor.PROTOCOL_UDP)
  view.setUint8(PacketDescriptor.IPV6_HOPS_OFFSET, HOPS)
  bytes.set(packet.sourceAddress, PacketDescriptor.IPV6_SOURCE_OFFSET)
  bytes.set(packet.targetAddress, PacketDescriptor.IPV6_TARGET_OFFSET)
  writeUdpChecksum(view, PacketDescriptor.IPV6_HEADER_LENGTH, PacketDescriptor.IPV6_SOURCE_OFFSET, udpLength)
}

/** Over both addresses, protocol and length, and the datagram. 0 would mean "none", so it is written as its twin. */
const writeUdpChecksum = (view: DataView, udpOffset: number, addressesOffset: number, udpLength: number): void => {
  const pseudoHeader =
    sum(view, addressesOffset, udpOffset - addressesOffset) + PacketDescriptor.PROTOCOL_UDP + udpLength
  const value = checksum(pseudoHeader + sum(view, udpOffset, udpLength))
  view.setUint16(udpOffset + PacketDescriptor.UDP_CHECKSUM_OFFSET, value === 0 ? 0xffff : value)
}

/** Sum of 16-bit words, a last odd byte being the upper half of one. At most 33 K words: no double loses a bit. */
const sum = (view: DataView, offset: number, length: number): number => {
  const evenEnd = offset + length - (length % 2)
  let total = 0
  for (let i = offset; i < evenEnd; i += 2) {
    total += view.getUint16(i)
  }
  return length % 2 === 0 ? total : total + view.getUint8(evenEnd) * 256
}

/** Folds the carries in and inverts. */
const checksum = (total: number): number => {
  let folded = total
  while (folded > 0xffff) {
    folded = (folded & 0xffff) + Math.floor(folded / 0x10000)
  }
  return ~folded & 0xffff
}
