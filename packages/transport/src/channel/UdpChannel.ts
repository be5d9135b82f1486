/**
 * What a `aeron:udp` URI says about its sockets. Parsing needs no network: `parse` checks the form, and `UdpChannel` is
 * made once the names in it are resolved.
 */
import type { ChannelUri } from "./ChannelUri.ts"
import { InvalidChannel } from "./InvalidChannel.ts"
import { durationNs, fault, int32, int64, size } from "./ParameterValue.ts"
import * as SocketAddress from "./SocketAddress.ts"
import * as Timestamps from "../media/Timestamps.ts"

export interface UdpChannelFields {
  readonly uri: ChannelUri
  /** `host:port`; undefined when another endpoint of the same tag is meant. */
  readonly endpoint: string | undefined
  /** `address[:port][/maskbits]`, or `{name}[:port]`. */
  readonly interfaceText: string | undefined
  readonly tag: bigint | undefined
  readonly receiveBufferLength: number
  readonly sendBufferLength: number
  readonly receiverWindowLength: number
  /** Undefined = the driver's. */
  readonly nakDelayNs: number | undefined
  readonly groupTag: bigint | undefined
  /** Where messages get the time, of `Timestamps`. */
  readonly sendTimestampOffset: number
  readonly receiveTimestampOffset: number
}

const parseTag = (uri: ChannelUri): bigint | undefined => {
  const text = uri.channelTag
  return text === undefined ? undefined : int64(uri, "tags", text)
}

const parseEndpoint = (uri: ChannelUri): string | undefined => {
  const endpoint = uri.get("endpoint")
  if (endpoint !== undefined && SocketAddress.splitHostPort(endpoint) === undefined) {
    throw fault(uri, "endpoint", endpoint, "host:port, an IPv6 address in brackets, a port up to 65535")
  }
  return endpoint
}

export const SEND_TIMESTAMP_OFFSET = "channel-snd-ts-offset"
export const RECEIVE_TIMESTAMP_OFFSET = "channel-rcv-ts-offset"
const RESERVED = "reserved"

const parseTimestampOffset = (uri: ChannelUri, parameter: string): number => {
  const text = uri.get(parameter)
  if (text === undefined) {
    return Timestamps.NONE
  }
  return text === RESERVED ? Timestamps.RESERVED : int32(uri, parameter, text)
}

export const parse = (uri: ChannelUri): UdpChannelFields => {
  const endpoint = parseEndpoint(uri)
  const tag = parseTag(uri)
  const controlMode = uri.get("control-mode")
  const hasControlMode = controlMode === "manual" || controlMode === "response"
  if (endpoint === undefined && !uri.has("control") && tag === undefined && !hasControlMode) {
    const allowed = "an endpoint, a control address, tags, or control-mode manual or response"
    throw new InvalidChannel({ channel: uri.channel, parameter: "endpoint", value: "", allowed })
  }
  if (controlMode === "dynamic" && !uri.has("control")) {
    throw fault(uri, "control-mode", controlMode, "dynamic only together with control")
  }
  const groupTag = uri.get("gtag")
  return {
    uri,
    endpoint,
    interfaceText: uri.get("interface"),
    tag,
    receiveBufferLength: size(uri, "so-rcvbuf", 0, false),
    sendBufferLength: size(uri, "so-sndbuf", 0, false),
    receiverWindowLength: size(uri, "rcv-wnd", 0, false),
    nakDelayNs: uri.has("nak-delay") ? durationNs(uri, "nak-delay", 0, false) : undefined,
    groupTag: groupTag === undefined ? undefined : int64(uri, "gtag", groupTag),
    sendTimestampOffset: parseTimestampOffset(uri, SEND_TIMESTAMP_OFFSET),
    receiveTimestampOffset: parseTimestampOffset(uri, RECEIVE_TIMESTAMP_OFFSET)
  }
}

export class UdpChannel {
  readonly fields: UdpChannelFields
  readonly remote: SocketAddress.SocketAddress
  readonly local: SocketAddress.SocketAddress
  /** Endpoints are shared by it. */
  readonly canonicalForm: string

  /** `uniqueSuffix` sets apart channels that say too little to be shared: a port of 0. */
  constructor(
    fields: UdpChannelFields,
    remote: SocketAddress.SocketAddress,
    local: SocketAddress.SocketAddress,
    uniqueSuffix: () => string
  ) {
    this.fields = fields
    this.remote = remote
    this.local = local
    const isUnique = fields.endpoint === undefined || remote.port === 0
    const suffix = isUnique ? (fields.tag === undefined ? `-${uniqueSuffix()}` : `#${fields.tag}`) : ""
    this.canonicalForm = `UDP-${local.text}-${fields.endpoint ?? remote.text}${suffix}`
  }

  get uri(): ChannelUri {
    return this.fields.uri
  }

  /** Whether a publication to it has more than one receiver: a multicast group, or several destinations. */
  get isGroup(): boolean {
    const controlMode = this.uri.get("control-mode")
    return this.remote.isMulticast || controlMode === "dynamic" || controlMode === "manual"
  }

  get channel(): string {
    return this.fields.uri.channel
  }
}
