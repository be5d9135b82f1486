/** Between the bytes of a capture file and the values of `Capture.ts`. */
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import { CaptureFault } from "../capture/CaptureInput.ts"
import { CaptureReader } from "../capture/CaptureReader.ts"
import * as CaptureWriter from "../capture/CaptureWriter.ts"
import type { Packet } from "../capture/Packet.ts"
import * as PacketDescriptor from "../capture/PacketDescriptor.ts"
import * as UdpPacketReader from "../capture/UdpPacketReader.ts"
import * as UdpPacketWriter from "../capture/UdpPacketWriter.ts"
import type { CapturedPacket, Format, UdpDatagram } from "../Capture.ts"

/** Stands behind the last chunk of a file. No chunk is empty to the reader otherwise. */
export const END_OF_FILE = new Uint8Array(0)

/** A whole file is fed to the reader in pieces of this length, so that it is not copied once more. */
const PIECE_LENGTH = 65_536

const WRITERS: Readonly<Record<Format, CaptureWriter.CaptureWriter>> = {
  pcap: CaptureWriter.pcap,
  pcapng: CaptureWriter.pcapng
}

/** Reads the packets of a file chunk by chunk. A fault waits until the packets in front of it were given out. */
export class PacketSource {
  readonly #reader = new CaptureReader()
  #fault: CaptureFault | undefined

  /** The packets that end in this chunk. `END_OF_FILE` itself checks that nothing is left. */
  read(chunk: Uint8Array): Result.Result<ReadonlyArray<CapturedPacket>, CaptureFault> {
    const packets: Array<CapturedPacket> = []
    if (this.#fault === undefined) {
      this.#fault = this.#attempt(chunk, packets)
    }
    return this.#fault === undefined || packets.length > 0 ? Result.succeed(packets) : Result.fail(this.#fault)
  }

  #attempt(chunk: Uint8Array, packets: Array<CapturedPacket>): CaptureFault | undefined {
    try {
      if (chunk === END_OF_FILE) {
        this.#reader.end()
        return undefined
      }
      this.#reader.append(chunk)
      for (let packet = this.#reader.read(); packet !== undefined; packet = this.#reader.read()) {
        packets.push(capturedPacket(packet))
      }
      return undefined
    } catch (thrown) {
      if (thrown instanceof CaptureFault) {
        return thrown
      }
      throw thrown
    }
  }
}

export const decode = (bytes: Uint8Array): Result.Result<ReadonlyArray<CapturedPacket>, CaptureFault> => {
  const source = new PacketSource()
  const packets: Array<CapturedPacket> = []
  for (let offset = 0; offset < bytes.length; offset += PIECE_LENGTH) {
    const piece = source.read(bytes.subarray(offset, offset + PIECE_LENGTH))
    if (Result.isFailure(piece)) {
      return Result.fail(piece.failure)
    }
    for (const packet of piece.success) {
      packets.push(packet)
    }
  }
  return Result.map(source.read(END_OF_FILE), () => packets)
}

const capturedPacket = (packet: Packet): CapturedPacket => {
  const { timestampNs, linkType, bytes } = packet
  const found = UdpPacketReader.read(packet)
  return typeof found === "string"
    ? { _tag: "OtherPacket", timestampNs, reason: found, linkType, bytes }
    : {
        _tag: "UdpDatagram",
        timestampNs,
        source: { address: addressText(found.sourceAddress), port: found.sourcePort },
        target: { address: addressText(found.targetAddress), port: found.targetPort },
        payload: found.payload
      }
}

const addressText = (address: Uint8Array): string =>
  NetAddress.formatIp(
    address.length === PacketDescriptor.IPV4_ADDRESS_LENGTH
      ? NetAddress.ipv4FromBytesUnsafe(address)
      : NetAddress.ipv6FromBytesUnsafe(address)
  )

export const fileHeader = (format: Format): Uint8Array<ArrayBuffer> => WRITERS[format].fileHeader()

export const encode = (
  format: Format,
  datagrams: Iterable<UdpDatagram>
): Result.Result<Uint8Array<ArrayBuffer>, CaptureFault> => {
  const parts = [fileHeader(format)]
  for (const datagram of datagrams) {
    const part = record(format, parts.length - 1, datagram)
    if (Result.isFailure(part)) {
      return Result.fail(part.failure)
    }
    parts.push(part.success)
  }
  return Result.succeed(Uint8Array.from(Buffer.concat(parts)))
}

/** The bytes of one datagram, the `index`th of its file. */
export const record = (
  format: Format,
  index: number,
  { timestampNs, source, target, payload }: UdpDatagram
): Result.Result<Uint8Array<ArrayBuffer>, CaptureFault> => {
  const refuse = (detail: string) => Result.fail(new CaptureFault(index, detail))
  const writer = WRITERS[format]
  const sourceAddress = addressBytes(source.address)
  const targetAddress = addressBytes(target.address)
  if (sourceAddress === undefined || targetAddress === undefined) {
    return refuse(`${sourceAddress === undefined ? source.address : target.address} is not an IPv4 or IPv6 address`)
  }
  if (sourceAddress.length !== targetAddress.length) {
    return refuse(`${source.address} and ${target.address} are not of one family`)
  }
  if (payload.length > PacketDescriptor.MAX_UDP_PAYLOAD_LENGTH) {
    return refuse(
      `a payload of ${payload.length} bytes is above the limit of ${PacketDescriptor.MAX_UDP_PAYLOAD_LENGTH}`
    )
  }
  if (timestampNs < 0n || timestampNs > writer.maxTimestampNs) {
    return refuse(`the time ${timestampNs} is not within 0 and ${writer.maxTimestampNs} ns, which ${format} can tell`)
  }
  const packet = UdpPacketWriter.write({
    sourceAddress,
    sourcePort: source.port,
    targetAddress,
    targetPort: target.port,
    payload
  })
  return Result.succeed(writer.packet(timestampNs, packet))
}

const addressBytes = (text: string): Uint8Array | undefined =>
  Result.match(NetAddress.ipFromString(text), {
    onSuccess: (address) =>
      Uint8Array.from(
        NetAddress.isIpv4Address(address) ? NetAddress.ipv4ToOctets(address) : NetAddress.ipv6ToOctets(address)
      ),
    onFailure: () => undefined
  })
