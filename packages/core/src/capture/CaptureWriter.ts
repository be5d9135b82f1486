/** Writes capture files of raw IP packets, with timestamps in nanoseconds, little-endian. */
import { align } from "../memory/Alignment.ts"
import * as LinkType from "./LinkType.ts"
import * as PcapDescriptor from "./PcapDescriptor.ts"
import * as PcapngDescriptor from "./PcapngDescriptor.ts"

const NS_PER_SECOND = 1_000_000_000n
/** Length in bytes of the one option of our interface: code, length, value, and the option that ends options. */
const INTERFACE_OPTIONS_LENGTH = 12

/** What a file of a format is made of. */
export interface CaptureWriter {
  /** What a file begins with. */
  readonly fileHeader: () => Uint8Array<ArrayBuffer>
  /** One packet. Time is in nanoseconds since 1970 (UTC). */
  readonly packet: (timestampNs: bigint, bytes: Uint8Array) => Uint8Array<ArrayBuffer>
  /** The last second that the format can tell. */
  readonly maxTimestampNs: bigint
}

export const pcap: CaptureWriter = {
  maxTimestampNs: 0xffff_ffffn * NS_PER_SECOND + (NS_PER_SECOND - 1n),
  fileHeader: () => {
    const bytes = new Uint8Array(PcapDescriptor.FILE_HEADER_LENGTH)
    const view = new DataView(bytes.buffer)
    view.setUint32(PcapDescriptor.MAGIC_FIELD_OFFSET, PcapDescriptor.MAGIC_NANOSECONDS, true)
    view.setUint16(PcapDescriptor.VERSION_MAJOR_FIELD_OFFSET, PcapDescriptor.VERSION_MAJOR, true)
    view.setUint16(PcapDescriptor.VERSION_MINOR_FIELD_OFFSET, PcapDescriptor.VERSION_MINOR, true)
    view.setUint32(PcapDescriptor.SNAP_LENGTH_FIELD_OFFSET, PcapDescriptor.MAX_PACKET_LENGTH, true)
    view.setUint32(PcapDescriptor.LINK_TYPE_FIELD_OFFSET, LinkType.RAW, true)
    return bytes
  },
  packet: (timestampNs, packet) => {
    const bytes = new Uint8Array(PcapDescriptor.RECORD_HEADER_LENGTH + packet.length)
    const view = new DataView(bytes.buffer)
    view.setUint32(PcapDescriptor.SECONDS_FIELD_OFFSET, Number(timestampNs / NS_PER_SECOND), true)
    view.setUint32(PcapDescriptor.FRACTION_FIELD_OFFSET, Number(timestampNs % NS_PER_SECOND), true)
    view.setUint32(PcapDescriptor.CAPTURED_LENGTH_FIELD_OFFSET, packet.length, true)
    view.setUint32(PcapDescriptor.ORIGINAL_LENGTH_FIELD_OFFSET, packet.length, true)
    bytes.set(packet, PcapDescriptor.RECORD_HEADER_LENGTH)
    return bytes
  }
}

export const pcapng: CaptureWriter = {
  maxTimestampNs: 0xffff_ffff_ffff_ffffn,
  fileHeader: () => {
    const sectionLength = PcapngDescriptor.SECTION_OPTIONS_OFFSET + PcapngDescriptor.TRAILER_LENGTH
    const interfaceLength =
      PcapngDescriptor.INTERFACE_OPTIONS_OFFSET + INTERFACE_OPTIONS_LENGTH + PcapngDescriptor.TRAILER_LENGTH
    const bytes = new Uint8Array(sectionLength + interfaceLength)
    const section = block(bytes, 0, PcapngDescriptor.SECTION_HEADER, sectionLength)
    section.setUint32(PcapngDescriptor.BYTE_ORDER_MAGIC_FIELD_OFFSET, PcapngDescriptor.BYTE_ORDER_MAGIC, true)
    section.setUint16(PcapngDescriptor.VERSION_MAJOR_FIELD_OFFSET, PcapngDescriptor.VERSION_MAJOR, true)
    section.setBigInt64(PcapngDescriptor.SECTION_LENGTH_FIELD_OFFSET, -1n, true)
    const description = block(bytes, sectionLength, PcapngDescriptor.INTERFACE_DESCRIPTION, interfaceLength)
    description.setUint16(PcapngDescriptor.LINK_TYPE_FIELD_OFFSET, LinkType.RAW, true)
    description.setUint32(PcapngDescriptor.SNAP_LENGTH_FIELD_OFFSET, PcapDescriptor.MAX_PACKET_LENGTH, true)
    const option = PcapngDescriptor.INTERFACE_OPTIONS_OFFSET
    description.setUint16(
      option + PcapngDescriptor.OPTION_CODE_FIELD_OFFSET,
      PcapngDescriptor.OPTION_TIMESTAMP_RESOLUTION,
      true
    )
    description.setUint16(option + PcapngDescriptor.OPTION_LENGTH_FIELD_OFFSET, 1, true)
    description.setUint8(
      option + PcapngDescriptor.OPTION_VALUE_OFFSET,
      PcapngDescriptor.TIMESTAMP_RESOLUTION_NANOSECONDS
    )
    return bytes
  },
  packet: (timestampNs, packet) => {
    const bytesLength = align(packet.length, PcapngDescriptor.BLOCK_ALIGNMENT)
    const blockLength = PcapngDescriptor.PACKET_BYTES_OFFSET + bytesLength + PcapngDescriptor.TRAILER_LENGTH
    const bytes = new Uint8Array(blockLength)
    const view = block(bytes, 0, PcapngDescriptor.ENHANCED_PACKET, blockLength)
    view.setUint32(PcapngDescriptor.TIMESTAMP_HIGH_FIELD_OFFSET, Number(timestampNs >> 32n), true)
    view.setUint32(PcapngDescriptor.TIMESTAMP_LOW_FIELD_OFFSET, Number(timestampNs & 0xffff_ffffn), true)
    view.setUint32(PcapngDescriptor.CAPTURED_LENGTH_FIELD_OFFSET, packet.length, true)
    view.setUint32(PcapngDescriptor.ORIGINAL_LENGTH_FIELD_OFFSET, packet.length, true)
    bytes.set(packet, PcapngDescriptor.PACKET_BYTES_OFFSET)
    return bytes
  }
}

/** Writes what frames a block, and gives the view that its offsets are of. */
const block = (bytes: Uint8Array<ArrayBuffer>, offset: number, type: number, length: number): DataView<ArrayBuffer> => {
  const view = new DataView(bytes.buffer, offset, length)
  view.setUint32(PcapngDescriptor.BLOCK_TYPE_FIELD_OFFSET, type, true)
  view.setUint32(PcapngDescriptor.BLOCK_LENGTH_FIELD_OFFSET, length, true)
  view.setUint32(length - PcapngDescriptor.TRAILER_LENGTH, length, true)
  return view
}
