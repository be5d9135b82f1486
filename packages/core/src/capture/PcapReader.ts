/** Reads pcap files of both byte orders, with timestamps in micro- or nanoseconds. */
import { CaptureFault, type CaptureInput } from "./CaptureInput.ts"
import type { Packet, PacketReader } from "./Packet.ts"
import * as PcapDescriptor from "./PcapDescriptor.ts"

const NS_PER_SECOND = 1_000_000_000n

export const isMagic = (magic: number): boolean =>
  magic === PcapDescriptor.MAGIC_MICROSECONDS || magic === PcapDescriptor.MAGIC_NANOSECONDS

export class PcapReader implements PacketReader {
  readonly #input: CaptureInput
  readonly #littleEndian: boolean
  #isHeaderRead = false
  #linkType = 0
  #fractionNs = 1

  /** The input is at the beginning of the file, and its magic was recognised in this byte order. */
  constructor(input: CaptureInput, littleEndian: boolean) {
    this.#input = input
    this.#littleEndian = littleEndian
  }

  read(): Packet | undefined {
    if (!this.#isHeaderRead && !this.#readHeader()) {
      return undefined
    }
    return this.#readRecord()
  }

  #readHeader(): boolean {
    const { view, available } = this.#input
    if (available < PcapDescriptor.FILE_HEADER_LENGTH) {
      return false
    }
    const major = view.getUint16(PcapDescriptor.VERSION_MAJOR_FIELD_OFFSET, this.#littleEndian)
    if (major !== PcapDescriptor.VERSION_MAJOR) {
      throw new CaptureFault(
        this.#input.position,
        `pcap version ${major} is not known, only ${PcapDescriptor.VERSION_MAJOR}`
      )
    }
    const magic = view.getUint32(PcapDescriptor.MAGIC_FIELD_OFFSET, this.#littleEndian)
    this.#fractionNs = magic === PcapDescriptor.MAGIC_NANOSECONDS ? 1 : 1000
    // The upper half holds flags about the frame check sequence.
    this.#linkType = view.getUint32(PcapDescriptor.LINK_TYPE_FIELD_OFFSET, this.#littleEndian) & 0xffff
    this.#input.skip(PcapDescriptor.FILE_HEADER_LENGTH)
    this.#isHeaderRead = true
    return true
  }

  #readRecord(): Packet | undefined {
    const { view, available, position } = this.#input
    if (available < PcapDescriptor.RECORD_HEADER_LENGTH) {
      return undefined
    }
    const capturedLength = view.getUint32(PcapDescriptor.CAPTURED_LENGTH_FIELD_OFFSET, this.#littleEndian)
    if (capturedLength > PcapDescriptor.MAX_PACKET_LENGTH) {
      throw new CaptureFault(
        position,
        `a packet of ${capturedLength} bytes is above the limit of ${PcapDescriptor.MAX_PACKET_LENGTH}`
      )
    }
    const recordLength = PcapDescriptor.RECORD_HEADER_LENGTH + capturedLength
    if (available < recordLength) {
      return undefined
    }
    const seconds = BigInt(view.getUint32(PcapDescriptor.SECONDS_FIELD_OFFSET, this.#littleEndian))
    const fraction = view.getUint32(PcapDescriptor.FRACTION_FIELD_OFFSET, this.#littleEndian)
    const packet: Packet = {
      timestampNs: seconds * NS_PER_SECOND + BigInt(fraction * this.#fractionNs),
      linkType: this.#linkType,
      bytes: this.#input.copy(PcapDescriptor.RECORD_HEADER_LENGTH, capturedLength),
      originalLength: view.getUint32(PcapDescriptor.ORIGINAL_LENGTH_FIELD_OFFSET, this.#littleEndian)
    }
    this.#input.skip(recordLength)
    return packet
  }
}
