/** Reads a capture file of either format, which its first bytes tell, as it arrives in chunks. */
import { CaptureFault, CaptureInput } from "./CaptureInput.ts"
import type { Packet, PacketReader } from "./Packet.ts"
import * as PcapDescriptor from "./PcapDescriptor.ts"
import * as PcapngDescriptor from "./PcapngDescriptor.ts"
import { isMagic, PcapReader } from "./PcapReader.ts"
import { PcapngReader } from "./PcapngReader.ts"

const MAGIC_LENGTH = 4

export class CaptureReader {
  readonly #input = new CaptureInput()
  #reader: PacketReader | undefined

  append(chunk: Uint8Array): void {
    this.#input.append(chunk)
  }

  /** The next packet, or `undefined` when more input is needed. Throws `CaptureFault`. */
  read(): Packet | undefined {
    this.#reader ??= this.#recognise()
    return this.#reader?.read()
  }

  /** To be called when no input follows and `read` gave `undefined`. Throws `CaptureFault` when the file was cut. */
  end(): void {
    if (this.#reader === undefined || this.#input.available > 0) {
      throw new CaptureFault(
        this.#input.position,
        `the file ends ${this.#input.available} bytes into a header, a record or a block`
      )
    }
  }

  #recognise(): PacketReader | undefined {
    if (this.#input.available < MAGIC_LENGTH) {
      return undefined
    }
    const bigEndian = this.#input.view.getUint32(PcapDescriptor.MAGIC_FIELD_OFFSET)
    const littleEndian = this.#input.view.getUint32(PcapDescriptor.MAGIC_FIELD_OFFSET, true)
    if (bigEndian === PcapngDescriptor.SECTION_HEADER) {
      return new PcapngReader(this.#input)
    }
    if (isMagic(bigEndian) || isMagic(littleEndian)) {
      return new PcapReader(this.#input, isMagic(littleEndian))
    }
    throw new CaptureFault(
      0,
      `the file begins with 0x${bigEndian.toString(16).padStart(8, "0")}, neither pcap nor pcapng does`
    )
  }
}
