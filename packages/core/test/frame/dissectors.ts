/** Prints frames as Wireshark's Aeron dissector and as Aeron's own flyweights do, for comparison with the captures. */
import * as NetAddress from "effect/net/NetAddress"
import type { Frame, ResolutionEntry } from "../../src/Frame.ts"
import * as Codec from "../../src/Frame.ts"
import type { Pairs } from "./captures.ts"

const hex2 = (value: number): string => `0x${value.toString(16).padStart(2, "0")}`
const unsigned32 = (value: number): string => (value >>> 0).toString()
const unsigned64 = (value: bigint): string => BigInt.asUintN(64, value).toString()

/** What this frame is to somebody who knows no more than its bytes. */
const bytesOf = (frame: Frame): DataView => {
  const bytes = Codec.encode(frame)
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const header = (prefix: string, frame: Frame, flags: (value: number) => string): Pairs => {
  const view = bytesOf(frame)
  return [
    [`${prefix}.frame_length`, view.getInt32(0, true).toString()],
    [`${prefix}.version`, view.getUint8(4).toString()],
    [`${prefix}.flags`, flags(frame.flags)],
    [`${prefix}.type`, view.getUint16(6, true).toString()]
  ]
}

/** The pairs of Wireshark, or none for the frames that it does not know. */
export const wireshark = (frame: Frame): Pairs => {
  const named = (prefix: string, fields: ReadonlyArray<readonly [string, string]>): Pairs => [
    ...header(prefix, frame, hex2),
    ...fields.map(([name, text]) => [`${prefix}.${name}`, text] as const)
  ]
  switch (frame._tag) {
    case "Data":
    case "Heartbeat":
    case "Pad": {
      const place = [
        ["term_offset", unsigned32(frame.termOffset)],
        ["session_id", unsigned32(frame.sessionId)],
        ["stream_id", unsigned32(frame.streamId)],
        ["term_id", unsigned32(frame.termId)]
      ] as const
      // Only a heartbeat without further flags is one to Wireshark.
      const isPlainHeartbeat = frame._tag === "Heartbeat" && frame.flags === 0xc0
      const prefix = frame._tag === "Pad" ? "pad" : isPlainHeartbeat ? "heartbeat" : "data"
      return prefix === "data"
        ? named(prefix, [...place, ["reserved_value", frame.reservedValue.toString()]])
        : named(prefix, place)
    }
    case "Nak":
      return named("nak", [
        ["session_id", unsigned32(frame.sessionId)],
        ["stream_id", unsigned32(frame.streamId)],
        ["term_id", unsigned32(frame.termId)],
        ["term_offset", unsigned32(frame.termOffset)],
        ["length", frame.length.toString()]
      ])
    case "StatusMessage":
      return named("sm", [
        ["session_id", unsigned32(frame.sessionId)],
        ["stream_id", unsigned32(frame.streamId)],
        ["consumption_term_id", unsigned32(frame.consumptionTermId)],
        ["consumption_term_offset", unsigned32(frame.consumptionTermOffset)],
        ["receiver_window", frame.receiverWindow.toString()],
        ["receiver_id", unsigned64(frame.receiverId)],
        ...(frame.groupTag === undefined ? [] : [["feedback", colons(frame.groupTag)] as const])
      ])
    case "Setup":
      return named("setup", [
        ["term_offset", unsigned32(frame.termOffset)],
        ["session_id", unsigned32(frame.sessionId)],
        ["stream_id", unsigned32(frame.streamId)],
        ["initial_term_id", unsigned32(frame.initialTermId)],
        ["active_term_id", unsigned32(frame.activeTermId)],
        ["term_length", frame.termLength.toString()],
        ["mtu", frame.mtu.toString()],
        ["ttl", frame.ttl.toString()]
      ])
    case "RttMeasurement":
      return named("rtt", [
        ["session_id", unsigned32(frame.sessionId)],
        ["stream_id", unsigned32(frame.streamId)],
        ["echo_timestamp", frame.echoTimestampNs.toString()],
        ["reception_delta", frame.receptionDeltaNs.toString()],
        ["receiver_id", unsigned64(frame.receiverId)]
      ])
    default:
      return []
  }
}

const colons = (value: bigint): string => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value, true)
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(":")
}

/** The pairs of Aeron's flyweights, or none for the frames that were not read with them. */
export const aeron = (frame: Frame): Pairs => {
  switch (frame._tag) {
    case "StatusMessage":
      return frame.groupTag === undefined
        ? []
        : [
            ["sm.asf_length", (bytesOf(frame).getInt32(0, true) - 36).toString()],
            ["sm.group_tag", frame.groupTag.toString()],
            ["sm.receiver_id", frame.receiverId.toString()]
          ]
    case "Error":
      return [
        ...header("err", frame, String),
        ["err.session_id", frame.sessionId.toString()],
        ["err.stream_id", frame.streamId.toString()],
        ["err.receiver_id", frame.receiverId.toString()],
        ["err.has_group_tag", Codec.flagNames(frame).includes("GROUP_TAG").toString()],
        ["err.group_tag", frame.groupTag.toString()],
        ["err.error_code", frame.errorCode.toString()],
        ["err.message", frame.text]
      ]
    case "Resolution":
      return [...header("res", frame, String), ...frame.entries.flatMap(entryPairs)]
    case "ResponseSetup":
      return [
        ...header("rsp_setup", frame, String),
        ["rsp_setup.session_id", frame.sessionId.toString()],
        ["rsp_setup.stream_id", frame.streamId.toString()],
        ["rsp_setup.response_session_id", frame.responseSessionId.toString()]
      ]
    default:
      return []
  }
}

const entryPairs = ({ flags, udpPort, ageMs, address, name }: ResolutionEntry): Pairs => [
  ["res.entry.res_type", address.length === 4 ? "1" : "2"],
  ["res.entry.flags", flags.toString()],
  ["res.entry.port", udpPort.toString()],
  ["res.entry.age_ms", ageMs.toString()],
  ["res.entry.address", addressText(address)],
  ["res.entry.name", name],
  ["res.entry.length", (Math.ceil((8 + address.length + 2 + name.length) / 8) * 8).toString()]
]

/** Aeron writes every group of an IPv6 address. */
const addressText = (address: Uint8Array): string =>
  address.length === 4
    ? NetAddress.formatIp(NetAddress.ipv4FromBytesUnsafe(address))
    : NetAddress.ipv6ToSegments(NetAddress.ipv6FromBytesUnsafe(address))
        .map((segment) => segment.toString(16))
        .join(":")
