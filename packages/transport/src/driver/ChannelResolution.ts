/** Makes a `UdpChannel` of a URI: looks up the names in it and finds the local address, or the channel with its tag. */
import type { ChannelUri } from "../channel/ChannelUri.ts"
import { InvalidChannel } from "../channel/InvalidChannel.ts"
import * as InterfaceSearch from "../channel/InterfaceSearch.ts"
import * as SocketAddress from "../channel/SocketAddress.ts"
import { parse, UdpChannel, type UdpChannelFields } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { PendingResolution } from "../naming/NameResolver.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import type { DriverNetwork } from "./DriverContext.ts"

const notSupported = (what: string, uri: ChannelUri): ControlProtocolError =>
  new ControlProtocolError(
    ErrorCode.NOT_SUPPORTED,
    `${what} is not supported by this driver: udp channels have one unicast endpoint; channel=${uri.channel}`
  )

/** Groups and destinations are other kinds of channels. */
const refuseOtherKinds = (uri: ChannelUri): void => {
  if (uri.has("control")) {
    throw notSupported(`control=${uri.get("control")}`, uri)
  }
  const controlMode = uri.get("control-mode")
  if (controlMode === "manual" || controlMode === "dynamic" || controlMode === "response") {
    throw notSupported(`control-mode=${controlMode}`, uri)
  }
}

/** What a channel is resolved with, besides the names of hosts. */
export interface ChannelSurroundings {
  /** Sets apart channels that say too little to be shared. */
  readonly uniqueSuffix: () => string
  /** The channel of the open endpoint with a tag. */
  readonly findByTag: (tag: bigint) => UdpChannel | undefined
}

/** A channel by its tag alone is the one that is open, whatever else it says of its streams. */
const byTag = (fields: UdpChannelFields, findByTag: ChannelSurroundings["findByTag"]): UdpChannel => {
  const existing = findByTag(fields.tag!)
  if (existing === undefined) {
    const allowed = "the tag of a channel that is open in this driver"
    throw new InvalidChannel({ channel: fields.uri.channel, parameter: "tags", value: String(fields.tag), allowed })
  }
  const { endpoint, interfaceText } = existing.fields
  return new UdpChannel({ ...fields, endpoint, interfaceText }, existing.remote, existing.local, () => "")
}

const NO_HOST = { host: "", port: 0 }

export class ChannelResolution {
  private readonly network: DriverNetwork
  private readonly fields: UdpChannelFields
  private readonly host: string
  private readonly port: number
  private readonly surroundings: ChannelSurroundings
  private readonly pending: PendingResolution | undefined

  /** Throws for a URI that is wrong or that means another kind of channel. */
  constructor(network: DriverNetwork, uri: ChannelUri, surroundings: ChannelSurroundings, isReResolution: boolean) {
    this.network = network
    this.fields = parse(uri)
    refuseOtherKinds(uri)
    const { endpoint } = this.fields
    const { host, port } = (endpoint === undefined ? undefined : SocketAddress.splitHostPort(endpoint)) ?? NO_HOST
    this.host = host
    this.port = port
    this.surroundings = surroundings
    this.pending =
      endpoint !== undefined && SocketAddress.parseAddress(this.host) === undefined
        ? network.resolver.resolve(this.host, "endpoint", isReResolution)
        : undefined
  }

  /** Undefined while a name is being looked up. Throws when it is not known. */
  poll(): UdpChannel | undefined {
    const { endpoint, uri } = this.fields
    if (endpoint === undefined) {
      return byTag(this.fields, this.surroundings.findByTag)
    }
    const address = this.address()
    if (address === undefined) {
      return undefined
    }
    const remote = new SocketAddress.SocketAddress(address, this.port)
    if (remote.isMulticast) {
      throw notSupported(`the multicast endpoint=${endpoint}`, uri)
    }
    const { interfaceText } = this.fields
    const local =
      interfaceText === undefined
        ? SocketAddress.any(remote.family)
        : InterfaceSearch.find(uri, interfaceText, remote.family, this.network.interfaces())
    return new UdpChannel(this.fields, remote, local, this.surroundings.uniqueSuffix)
  }

  private address(): Uint8Array | undefined {
    if (this.pending === undefined) {
      return SocketAddress.parseAddress(this.host)
    }
    const resolution = this.pending.poll()
    if (resolution?._tag === "Unknown") {
      const message = `unknown host: endpoint=${this.fields.endpoint} is unresolved: ${resolution.detail}; channel=${this.fields.uri.channel}`
      throw new ControlProtocolError(ErrorCode.UNKNOWN_HOST, message)
    }
    return resolution?.address
  }
}
