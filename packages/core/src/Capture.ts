/**
 * Captures of network traffic: pcap and pcapng files, as Wireshark and tcpdump write and read them.
 *
 * Reading takes both formats, both byte orders, timestamps of any resolution, and the usual link types: Ethernet (with
 * VLAN tags), Linux "any" devices, loopback devices, raw IP. Writing makes raw IP packets with right checksums and
 * nanosecond timestamps, so that Wireshark's Aeron dissector (`tshark -d udp.port==40123,aeron -r file`) shows them.
 *
 * A capture file holds packets of all kinds. Each comes out: UDP datagrams as `UdpDatagram`, the rest as `OtherPacket`
 * with the reason why it is none. IP fragments are not put together again.
 *
 * Limits: 256 KiB a packet in pcap, 16 MiB a block in pcapng. Memory use does not depend on the length of the file.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { CaptureFault } from "./capture/CaptureInput.ts"
import * as captureCodec from "./internal/captureCodec.ts"

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))

/**
 * An end of a datagram: an IPv4 or IPv6 address as text (`127.0.0.1`, `::1`) and a UDP port.
 *
 * @category models
 * @since 0.1.0
 */
export const Endpoint = Schema.Struct({
  address: Schema.String,
  port: Port
})

/**
 * An end of a datagram.
 *
 * @category models
 * @since 0.1.0
 */
export type Endpoint = typeof Endpoint.Type

/**
 * One UDP datagram. `timestampNs` counts nanoseconds since 1970 (UTC). `Datagram.decode` reads the payload.
 *
 * @category models
 * @since 0.1.0
 */
export const UdpDatagram = Schema.TaggedStruct("UdpDatagram", {
  timestampNs: Schema.BigInt,
  source: Endpoint,
  target: Endpoint,
  payload: Schema.Uint8Array
})

/**
 * One UDP datagram.
 *
 * @category models
 * @since 0.1.0
 */
export type UdpDatagram = typeof UdpDatagram.Type

/**
 * A packet that holds no whole UDP datagram, as it was captured:
 *
 * - `NotUdp`: another protocol
 * - `Fragment`: a part of a datagram that was cut into IP packets
 * - `Truncated`: the packet ends before its headers say, or was cut when it was captured
 * - `UnknownLink`: a link type that is not read here
 *
 * @category models
 * @since 0.1.0
 */
export const OtherPacket = Schema.TaggedStruct("OtherPacket", {
  timestampNs: Schema.BigInt,
  reason: Schema.Literals(["NotUdp", "Fragment", "Truncated", "UnknownLink"]),
  linkType: Schema.Int,
  bytes: Schema.Uint8Array
})

/**
 * A packet that holds no whole UDP datagram.
 *
 * @category models
 * @since 0.1.0
 */
export type OtherPacket = typeof OtherPacket.Type

/**
 * What a capture file is made of.
 *
 * @category models
 * @since 0.1.0
 */
export const CapturedPacket = Schema.Union([UdpDatagram, OtherPacket]).pipe(Schema.toTaggedUnion("_tag"))

/**
 * What a capture file is made of.
 *
 * @category models
 * @since 0.1.0
 */
export type CapturedPacket = typeof CapturedPacket.Type

/**
 * The format of a file to be written. pcap tells seconds until 2106, pcapng until 2554.
 *
 * @category models
 * @since 0.1.0
 */
export type Format = "pcap" | "pcapng"

/**
 * A file that is not a capture, was cut short or is damaged; or a datagram that cannot be written.
 *
 * @category errors
 * @since 0.1.0
 */
export class CaptureError extends Schema.TaggedError<CaptureError>("@millrace/core/Capture/CaptureError")(
  "CaptureError",
  {
    /** Where in the file, in bytes, or which datagram of those to be written. */
    position: Schema.Finite,
    detail: Schema.String
  }
) {
  override get message(): string {
    return `the capture is wrong at ${this.position}: ${this.detail}`
  }
}

/**
 * Reads a whole capture file of either format. Payloads are in memory of their own.
 *
 * @see {@link fromBytes} for files of any length
 * @category decoding
 * @since 0.1.0
 */
export const decode = (bytes: Uint8Array): Result.Result<ReadonlyArray<CapturedPacket>, CaptureError> =>
  Result.mapError(captureCodec.decode(bytes), captureError)

/**
 * Reads a capture file of either format as its bytes arrive, in chunks of any size. Fails with `CaptureError` where the
 * file is damaged or cut short, after the packets in front of that place.
 *
 * **Example** (Printing the frames of a capture)
 *
 * ```ts
 * import { Capture, Datagram } from "@millrace/core"
 * import { Effect, Result, Stream } from "effect"
 *
 * const print = (file: Stream.Stream<Uint8Array>) =>
 *   Capture.fromBytes(file).pipe(
 *     Stream.filter(Capture.CapturedPacket.guards.UdpDatagram),
 *     Stream.map(({ payload }) => Result.match(Datagram.decode(payload), {
 *       onSuccess: Datagram.format,
 *       onFailure: (error) => error.message
 *     })),
 *     Stream.runForEach((line) => Effect.log(line))
 *   )
 * ```
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromBytes = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<CapturedPacket, E | CaptureError, R> =>
  bytes.pipe(
    Stream.concat(Stream.succeed(captureCodec.END_OF_FILE)),
    Stream.mapAccumEffect(
      () => new captureCodec.PacketSource(),
      (source, chunk) =>
        Effect.fromResult(
          Result.mapBoth(source.read(chunk), {
            onSuccess: (packets) => [source, packets] as const,
            onFailure: captureError
          })
        )
    )
  )

/**
 * A whole capture file of these datagrams. Fails when an address is not IPv4 or IPv6 text, when both ends of a datagram
 * are not of one family, when a payload exceeds 65,507 bytes or a time is not within what the format tells.
 *
 * **Example** (Writing a datagram for Wireshark)
 *
 * ```ts
 * import { Capture } from "@millrace/core"
 * import { Result } from "effect"
 *
 * const file = Capture.encode("pcapng", [
 *   Capture.UdpDatagram.make({
 *     timestampNs: 1_700_000_000_000_000_000n,
 *     source: { address: "127.0.0.1", port: 51_234 },
 *     target: { address: "127.0.0.1", port: 40_123 },
 *     payload: new Uint8Array(32)
 *   })
 * ])
 * Result.getOrThrow(Result.flatMap(file, Capture.decode)).length // => 1
 * ```
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (
  format: Format,
  datagrams: Iterable<UdpDatagram>
): Result.Result<Uint8Array<ArrayBuffer>, CaptureError> =>
  Result.mapError(captureCodec.encode(format, datagrams), captureError)

/**
 * The bytes of a capture file as its datagrams arrive: the file header first, then a chunk for each.
 *
 * @category encoding
 * @since 0.1.0
 */
export const toBytes =
  (format: Format) =>
  <E, R>(datagrams: Stream.Stream<UdpDatagram, E, R>): Stream.Stream<Uint8Array, E | CaptureError, R> =>
    Stream.concat(
      Stream.sync(() => captureCodec.fileHeader(format)),
      Stream.mapAccumEffect(
        datagrams,
        () => 0,
        (index, datagram) =>
          Effect.fromResult(
            Result.mapBoth(captureCodec.record(format, index, datagram), {
              onSuccess: (bytes) => [index + 1, [bytes]] as const,
              onFailure: captureError
            })
          )
      )
    )

const captureError = ({ position, message }: CaptureFault): CaptureError =>
  new CaptureError({ position, detail: message })
