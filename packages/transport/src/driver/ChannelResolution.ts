/** Makes a `UdpChannel` of a URI: looks up the names in it and finds the local address. */
import type { ChannelUri } from "../channel/ChannelUri.ts"
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
const refuseOtherKinds = (uri: ChannelUri, fields: UdpChannelFields): void => {
  if (uri.has("control")) {
    throw notSupported(`control=${uri.get("control")}`, uri)
  }
  const controlMode = uri.get("control-mode")
  if (controlMode === "manual" || controlMode === "dynamic" || controlMode === "response") {
    throw notSupported(`control-mode=${controlMode}`, uri)
  }
  if (fields.endpoint === undefined) {
    throw notSupported("a channel by its tag alone", uri)
  }
}

export class ChannelResolution {
  private readonly network: DriverNetwork
  private readonly fields: UdpChannelFields
  private readonly host: string
  private readonly port: number
  private readonly uniqueSuffix: () => string
  private readonly pending: PendingResolution | undefined

  /** Throws for a URI that is wrong or that means another kind of channel. */
  constructor(network: DriverNetwork, uri: ChannelUri, uniqueSuffix: () => string, isReResolution: boolean) {
    this.network = network
    this.fields = parse(uri)
    refuseOtherKinds(uri, this.fields)
    const endpoint = SocketAddress.splitHostPort(this.fields.endpoint!)!
    this.host = endpoint.host
    this.port = endpoint.port
    this.uniqueSuffix = uniqueSuffix
    this.pending =
      SocketAddress.parseAddress(this.host) === undefined
        ? network.resolver.resolve(this.host, "endpoint", isReResolution)
        : undefined
  }

  /** Undefined while a name is being looked up. Throws when it is not known. */
  poll(): UdpChannel | undefined {
    const { uri } = this.fields
    const address = this.address()
    if (address === undefined) {
      return undefined
    }
    const remote = new SocketAddress.SocketAddress(address, this.port)
    if (remote.isMulticast) {
      throw notSupported(`the multicast endpoint=${this.fields.endpoint}`, uri)
    }
    const { interfaceText } = this.fields
    const local =
      interfaceText === undefined
        ? SocketAddress.any(remote.family)
        : InterfaceSearch.find(uri, interfaceText, remote.family, this.network.interfaces())
    return new UdpChannel(this.fields, remote, local, this.uniqueSuffix)
  }

  private address(): Uint8Array | undefined {
    if (this.pending === undefined) {
      return SocketAddress.parseAddress(this.host)
    }
    const resolution = this.pending.poll()
    if (resolution?._tag === "Unknown") {
      const message = `unresolved host: endpoint=${this.fields.endpoint}: ${resolution.detail}; channel=${this.fields.uri.channel}`
      throw new ControlProtocolError(ErrorCode.UNKNOWN_HOST, message)
    }
    return resolution?.address
  }
}
