/**
 * Reads pcapng files: sections of both byte orders, interfaces with timestamps of any resolution, enhanced, simple and
 * obsolete packet blocks. Other blocks are skipped.
 */
import { align } from "../memory/Alignment.ts"
import { CaptureFault, type CaptureInput } from "./CaptureInput.ts"
import type { Packet, PacketReader } from "./Packet.ts"
import * as PcapngDescriptor from "./PcapngDescriptor.ts"

interface Interface {
  readonly linkType: number
  /** The most bytes kept of a packet; 0 for no limit. */
  readonly snapLength: number
  readonly unitsPerSecond: bigint
  readonly offsetSeconds: bigint
}

const NS_PER_SECOND = 1_000_000_000n
/** No unit is finer than this: it keeps a damaged option from asking for numbers of any size. */
const MAX_RESOLUTION_EXPONENT = 63

export class PcapngReader implements PacketReader {
  readonly #input: CaptureInput
  #littleEndian = true
  #interfaces: Array<Interface> = []

  constructor(input: CaptureInput) {
    this.#input = input
  }

  read(): Packet | undefined {
    for (;;) {
      const blockLength = this.#blockLength()
      if (blockLength === 0) {
        return undefined
      }
      const packet = this.#readBlock(blockLength)
      this.#input.skip(blockLength)
      if (packet !== undefined) {
        return packet
      }
    }
  }

  /** Length of the next block, or 0 when it has not arrived whole. */
  #blockLength(): number {
    const { view, available } = this.#input
    if (available < PcapngDescriptor.MIN_BLOCK_LENGTH) {
      return 0
    }
    if (view.getUint32(PcapngDescriptor.BLOCK_TYPE_FIELD_OFFSET) === PcapngDescriptor.SECTION_HEADER) {
      this.#readByteOrder(view)
    }
    const length = view.getUint32(PcapngDescriptor.BLOCK_LENGTH_FIELD_OFFSET, this.#littleEndian)
    if (
      length < PcapngDescriptor.MIN_BLOCK_LENGTH ||
      length > PcapngDescriptor.MAX_BLOCK_LENGTH ||
      length % PcapngDescriptor.BLOCK_ALIGNMENT !== 0
    ) {
      throw this.#fault(
        `a block of ${length} bytes is not a multiple of 4 within 12 and ${PcapngDescriptor.MAX_BLOCK_LENGTH}`
      )
    }
    if (available < length) {
      return 0
    }
    const again = view.getUint32(length - PcapngDescriptor.TRAILER_LENGTH, this.#littleEndian)
    if (again !== length) {
      throw this.#fault(`a block of ${length} bytes says at its end that it has ${again}`)
    }
    return length
  }

  #readByteOrder(view: DataView<ArrayBufferLike>): void {
    const isBigEndian =
      view.getUint32(PcapngDescriptor.BYTE_ORDER_MAGIC_FIELD_OFFSET) === PcapngDescriptor.BYTE_ORDER_MAGIC
    const isLittleEndian =
      view.getUint32(PcapngDescriptor.BYTE_ORDER_MAGIC_FIELD_OFFSET, true) === PcapngDescriptor.BYTE_ORDER_MAGIC
    if (!isBigEndian && !isLittleEndian) {
      throw this.#fault("a section header has no byte order magic")
    }
    this.#littleEndian = isLittleEndian
  }

  #readBlock(blockLength: number): Packet | undefined {
    const end = blockLength - PcapngDescriptor.TRAILER_LENGTH
    switch (this.#uint32(PcapngDescriptor.BLOCK_TYPE_FIELD_OFFSET)) {
      case PcapngDescriptor.SECTION_HEADER:
        this.#readSectionHeader(end)
        return undefined
      case PcapngDescriptor.INTERFACE_DESCRIPTION:
        this.#readInterface(end)
        return undefined
      case PcapngDescriptor.ENHANCED_PACKET:
        return this.#readPacket(end, this.#uint32(PcapngDescriptor.INTERFACE_INDEX_FIELD_OFFSET))
      case PcapngDescriptor.PACKET:
        return this.#readPacket(end, this.#uint16(PcapngDescriptor.INTERFACE_INDEX_FIELD_OFFSET))
      case PcapngDescriptor.SIMPLE_PACKET:
        return this.#readSimplePacket(end)
      default:
        return undefined
    }
  }

  #readSectionHeader(end: number): void {
    this.#require(PcapngDescriptor.SECTION_OPTIONS_OFFSET, end)
    const major = this.#uint16(PcapngDescriptor.VERSION_MAJOR_FIELD_OFFSET)
    if (major !== PcapngDescriptor.VERSION_MAJOR) {
      throw this.#fault(`pcapng version ${major} is not known, only ${PcapngDescriptor.VERSION_MAJOR}`)
    }
    this.#interfaces = []
  }

  #readInterface(end: number): void {
    this.#require(PcapngDescriptor.INTERFACE_OPTIONS_OFFSET, end)
    if (this.#interfaces.length === PcapngDescriptor.MAX_INTERFACES) {
      throw this.#fault(`a section describes more than ${PcapngDescriptor.MAX_INTERFACES} interfaces`)
    }
    const { view } = this.#input
    let unitsPerSecond = resolution(PcapngDescriptor.TIMESTAMP_RESOLUTION_MICROSECONDS)
    let offsetSeconds = 0n
    let offset = PcapngDescriptor.INTERFACE_OPTIONS_OFFSET
    while (offset + PcapngDescriptor.OPTION_VALUE_OFFSET <= end) {
      const code = this.#uint16(offset + PcapngDescriptor.OPTION_CODE_FIELD_OFFSET)
      const length = this.#uint16(offset + PcapngDescriptor.OPTION_LENGTH_FIELD_OFFSET)
      const value = offset + PcapngDescriptor.OPTION_VALUE_OFFSET
      this.#require(value + length, end)
      if (code === PcapngDescriptor.OPTION_END) {
        break
      }
      if (code === PcapngDescriptor.OPTION_TIMESTAMP_RESOLUTION && length === 1) {
        unitsPerSecond = resolution(view.getUint8(value))
      }
      if (code === PcapngDescriptor.OPTION_TIMESTAMP_OFFSET && length === 8) {
        offsetSeconds = view.getBigInt64(value, this.#littleEndian)
      }
      offset = align(value + length, PcapngDescriptor.BLOCK_ALIGNMENT)
    }
    this.#interfaces.push({
      linkType: this.#uint16(PcapngDescriptor.LINK_TYPE_FIELD_OFFSET),
      snapLength: this.#uint32(PcapngDescriptor.SNAP_LENGTH_FIELD_OFFSET),
      unitsPerSecond,
      offsetSeconds
    })
  }

  #readPacket(end: number, interfaceIndex: number): Packet {
    this.#require(PcapngDescriptor.PACKET_BYTES_OFFSET, end)
    const { linkType, unitsPerSecond, offsetSeconds } = this.#interface(interfaceIndex)
    const capturedLength = this.#uint32(PcapngDescriptor.CAPTURED_LENGTH_FIELD_OFFSET)
    this.#require(PcapngDescriptor.PACKET_BYTES_OFFSET + capturedLength, end)
    const units =
      (BigInt(this.#uint32(PcapngDescriptor.TIMESTAMP_HIGH_FIELD_OFFSET)) << 32n) |
      BigInt(this.#uint32(PcapngDescriptor.TIMESTAMP_LOW_FIELD_OFFSET))
    return {
      timestampNs: (units * NS_PER_SECOND) / unitsPerSecond + offsetSeconds * NS_PER_SECOND,
      linkType,
      bytes: this.#input.copy(PcapngDescriptor.PACKET_BYTES_OFFSET, capturedLength),
      originalLength: this.#uint32(PcapngDescriptor.ORIGINAL_LENGTH_FIELD_OFFSET)
    }
  }

  /** A simple packet belongs to the first interface and has as many bytes as that keeps of a packet. */
  #readSimplePacket(end: number): Packet {
    this.#require(PcapngDescriptor.SIMPLE_PACKET_BYTES_OFFSET, end)
    const { linkType, snapLength } = this.#interface(0)
    const originalLength = this.#uint32(PcapngDescriptor.SIMPLE_ORIGINAL_LENGTH_FIELD_OFFSET)
    const capturedLength = snapLength === 0 ? originalLength : Math.min(originalLength, snapLength)
    this.#require(PcapngDescriptor.SIMPLE_PACKET_BYTES_OFFSET + capturedLength, end)
    const bytes = this.#input.copy(PcapngDescriptor.SIMPLE_PACKET_BYTES_OFFSET, capturedLength)
    return { timestampNs: 0n, linkType, bytes, originalLength }
  }

  #interface(index: number): Interface {
    const found = this.#interfaces[index]
    if (found === undefined) {
      throw this.#fault(`a packet names interface ${index} of ${this.#interfaces.length}`)
    }
    return found
  }

  #require(requiredEnd: number, end: number): void {
    if (requiredEnd > end) {
      throw this.#fault(`a block ends at its byte ${end}, before its fields do at ${requiredEnd}`)
    }
  }

  #uint32(offset: number): number {
    return this.#input.view.getUint32(offset, this.#littleEndian)
  }

  #uint16(offset: number): number {
    return this.#input.view.getUint16(offset, this.#littleEndian)
  }

  #fault(message: string): CaptureFault {
    return new CaptureFault(this.#input.position, message)
  }
}

const resolution = (option: number): bigint => {
  const exponent = BigInt(Math.min(option & ~PcapngDescriptor.TIMESTAMP_RESOLUTION_BINARY, MAX_RESOLUTION_EXPONENT))
  return (option & PcapngDescriptor.TIMESTAMP_RESOLUTION_BINARY) === 0 ? 10n ** exponent : 2n ** exponent
}
