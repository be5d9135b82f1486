/** One line a frame, for people. Field names are those of the values, so that a line can be searched for. */
import * as NetAddress from "effect/net/NetAddress"
import * as FrameFlags from "../frame/FrameFlags.ts"
import type { Frame, ResolutionEntry } from "../Frame.ts"

/** What is carried is shown up to this many bytes. */
const SHOWN_BYTES_MAX = 16

const KINDS: Readonly<Record<Frame["_tag"], string>> = {
  Data: "DATA",
  Heartbeat: "HEARTBEAT",
  Pad: "PAD",
  Nak: "NAK",
  StatusMessage: "SM",
  Error: "ERR",
  Setup: "SETUP",
  RttMeasurement: "RTTM",
  Resolution: "RES",
  ResponseSetup: "RSP_SETUP",
  Unknown: "UNKNOWN"
}

/** The order of fields in a line: which stream, where in it, then what. */
const FIELDS: ReadonlyArray<string> = [
  "type",
  "sessionId",
  "streamId",
  "responseSessionId",
  "initialTermId",
  "activeTermId",
  "termId",
  "termOffset",
  "consumptionTermId",
  "consumptionTermOffset",
  "receiverWindow",
  "length",
  "frameLength",
  "termLength",
  "mtu",
  "ttl",
  "echoTimestampNs",
  "receptionDeltaNs",
  "receiverId",
  "groupTag",
  "errorCode",
  "text",
  "entries",
  "reservedValue",
  "payload",
  "body",
  "extension",
  "trailing"
]

type FlagTable = ReadonlyArray<readonly [mask: number, name: string]>

const DATA_FLAGS: FlagTable = [
  [FrameFlags.BEGIN, "BEGIN"],
  [FrameFlags.END, "END"],
  [FrameFlags.EOS, "EOS"],
  [FrameFlags.REVOKED, "REVOKED"]
]

const FLAGS: Readonly<Record<Frame["_tag"], FlagTable>> = {
  Data: DATA_FLAGS,
  Heartbeat: DATA_FLAGS,
  Pad: DATA_FLAGS,
  Nak: [],
  StatusMessage: [
    [FrameFlags.SM_SETUP, "SETUP"],
    [FrameFlags.SM_EOS, "EOS"]
  ],
  Error: [[FrameFlags.ERR_HAS_GROUP_TAG, "GROUP_TAG"]],
  Setup: [
    [FrameFlags.SETUP_SEND_RESPONSE, "SEND_RESPONSE"],
    [FrameFlags.SETUP_GROUP, "GROUP"]
  ],
  RttMeasurement: [[FrameFlags.RTTM_REPLY, "REPLY"]],
  Resolution: [],
  ResponseSetup: [],
  Unknown: []
}

const ENTRY_FLAGS: FlagTable = [[FrameFlags.RES_SELF, "SELF"]]

export const flagNames = (frame: Frame): ReadonlyArray<string> => namesOf(frame.flags, FLAGS[frame._tag])

const namesOf = (flags: number, table: FlagTable): ReadonlyArray<string> => {
  const set = table.filter(([mask]) => FrameFlags.has(flags, mask))
  const rest = set.reduce((bits, [mask]) => bits & ~mask, flags)
  return [...set.map(([, name]) => name), ...(rest === 0 ? [] : [hex(rest, 2)])]
}

export const format = (frame: Frame): string => {
  const { _tag, flags, ...fields } = frame
  const names = flagNames(frame)
  const shown = Object.entries(fields)
    .toSorted(([a], [b]) => FIELDS.indexOf(a) - FIELDS.indexOf(b))
    .map(([name, value]) => `${name}=${formatField(name, value)}`)
  return [KINDS[_tag], ...shown, ...(flags === 0 ? [] : [`flags=${names.join("|")}`])].join(" ")
}

type Field = number | bigint | string | Uint8Array | ReadonlyArray<ResolutionEntry>

const formatField = (name: string, value: Field): string => {
  if (typeof value === "string") {
    return JSON.stringify(value)
  }
  if (typeof value === "number" || typeof value === "bigint") {
    return name === "type" ? hex(Number(value), 4) : value.toString()
  }
  return value instanceof Uint8Array ? formatBytes(value) : value.map(formatEntry).join(",")
}

const formatEntry = ({ flags, udpPort, ageMs, address, name, padding }: ResolutionEntry): string =>
  [
    `{name=${JSON.stringify(name)}`,
    `address=${formatAddress(address)}`,
    `udpPort=${udpPort}`,
    `ageMs=${ageMs}`,
    ...(padding === undefined ? [] : [`padding=${formatBytes(padding)}`]),
    ...(flags === 0 ? [] : [`flags=${namesOf(flags, ENTRY_FLAGS).join("|")}`])
  ]
    .join(" ")
    .concat("}")

const formatAddress = (address: Uint8Array): string =>
  NetAddress.formatIp(
    address.length === 4 ? NetAddress.ipv4FromBytesUnsafe(address) : NetAddress.ipv6FromBytesUnsafe(address)
  )

const formatBytes = (bytes: Uint8Array): string => {
  const shown = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SHOWN_BYTES_MAX)).toString("hex")
  return `${bytes.length}[${shown}${bytes.length > SHOWN_BYTES_MAX ? "…" : ""}]`
}

const hex = (value: number, digits: number): string => `0x${value.toString(16).toUpperCase().padStart(digits, "0")}`
