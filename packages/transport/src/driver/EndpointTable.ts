/**
 * The endpoints of one kind: opened for the first who needs one, shared, closed after the last. A channel shares the
 * endpoint with its tag, else one of the same addresses, unless both have tags: these keep channels of one place apart.
 */
import { SocketAddress } from "../channel/SocketAddress.ts"
import type { UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import { type EndpointKind, EndpointStatus, RECEIVE } from "../media/EndpointStatus.ts"
import { PortRange } from "../media/PortRange.ts"
import type { ChannelEndpoint } from "./ChannelEndpoint.ts"
import { type UdpSocket, UdpSocketError } from "../media/UdpPort.ts"
import type { SharedResources } from "./AgentResources.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import * as SocketBuffers from "./SocketBuffers.ts"
import { socketFailure } from "./SocketFailure.ts"

/** Ids of the two kinds never meet. */
const ENDPOINT_ID_STEP = 2

/** The agent that works on the endpoints. */
export interface EndpointAgent<E> {
  onRegisterEndpoint(endpoint: E): void
  onCloseEndpoint(endpoint: E): void
}

export interface EndpointRequest<E> {
  readonly registrationId: bigint
  readonly udpChannel: UdpChannel
  readonly local: SocketAddress
  readonly remote: SocketAddress | undefined
  readonly make: (id: number, status: EndpointStatus, socket: UdpSocket) => E
  /** Throws when a channel that the endpoint was opened for goes with another option. */
  readonly confirm: (existing: UdpChannel) => void
  /** Throws when the buffers of the socket do not hold what is needed. */
  readonly check: (usable: SocketBuffers.BufferLengths) => void
}

export class EndpointTable<E extends ChannelEndpoint> {
  private readonly context: DriverContext
  private readonly network: DriverNetwork
  private readonly kind: EndpointKind
  private readonly agent: EndpointAgent<E>
  private readonly closing: ClosingEndpoints
  private readonly resources: SharedResources
  private readonly ports: PortRange
  private readonly endpoints = new Map<number, E>()
  private nextId: number

  constructor(
    context: DriverContext,
    network: DriverNetwork,
    kind: EndpointKind,
    agent: EndpointAgent<E>,
    closing: ClosingEndpoints,
    resources: SharedResources
  ) {
    this.context = context
    this.network = network
    this.kind = kind
    this.agent = agent
    this.closing = closing
    this.resources = resources
    const { receiverPorts, senderPorts } = context.settings
    this.ports = new PortRange(kind === RECEIVE ? receiverPorts : senderPorts)
    this.nextId = kind.firstEndpointId
  }

  find(endpointId: number): E | undefined {
    return this.endpoints.get(endpointId)
  }

  findByTag(tag: bigint): UdpChannel | undefined {
    return this.endpointByTag(tag)?.udpChannel
  }

  /** The open endpoint that a channel shares. Throws when the one with its tag is elsewhere. */
  findShared(udpChannel: UdpChannel): E | undefined {
    const tagged = this.tagged(udpChannel)
    if (tagged !== undefined) {
      return tagged
    }
    let shared: E | undefined
    for (const endpoint of this.endpoints.values()) {
      if (isOneEndpoint(endpoint.udpChannel, udpChannel)) {
        // Of several the youngest, as in Aeron's drivers.
        shared = endpoint
      }
    }
    return shared
  }

  get(request: EndpointRequest<E>): E {
    const { udpChannel } = request
    const existing = this.findShared(udpChannel)
    if (existing !== undefined) {
      request.confirm(existing.udpChannel)
      SocketBuffers.confirmMatch(udpChannel, existing.udpChannel, this.askedOf(existing.udpChannel))
    }
    const endpoint = existing ?? this.open(request)
    try {
      request.check(SocketBuffers.usable(this.askedOf(endpoint.udpChannel), endpoint.socket))
    } catch (error) {
      this.closeIfUnused(endpoint)
      throw error
    }
    return endpoint
  }

  closeIfUnused(endpoint: E): void {
    if (endpoint.shouldBeClosed) {
      endpoint.isClosing = true
      endpoint.status.onClosing()
      this.endpoints.delete(endpoint.id)
      this.resources.removeSocket(endpoint.id)
      this.ports.release(endpoint.socket.localAddress.port)
      this.closing.add(endpoint)
      this.agent.onCloseEndpoint(endpoint)
    }
  }

  close(): void {
    for (const endpoint of this.endpoints.values()) {
      endpoint.close()
    }
    this.endpoints.clear()
  }

  private open(request: EndpointRequest<E>): E {
    const { make, registrationId, udpChannel } = request
    const status = new EndpointStatus(this.context.counters, this.kind, registrationId, udpChannel.channel)
    let socket: UdpSocket | undefined
    try {
      socket = this.openSocket(request)
      status.onActive(socket.localAddress.text)
    } catch (error) {
      // No agent has seen the socket yet, so it can be closed at once.
      socket?.close()
      status.close()
      throw socketFailure(error, udpChannel)
    }
    const endpoint = make(this.nextId, status, socket)
    this.nextId += ENDPOINT_ID_STEP
    this.endpoints.set(endpoint.id, endpoint)
    this.resources.addSocket(endpoint.id, socket)
    this.agent.onRegisterEndpoint(endpoint)
    return endpoint
  }

  private endpointByTag(tag: bigint): E | undefined {
    for (const endpoint of this.endpoints.values()) {
      if (endpoint.udpChannel.fields.tag === tag) {
        return endpoint
      }
    }
    return undefined
  }

  /** The endpoint with the channel's tag. Throws when the channel says that it is elsewhere. */
  private tagged(udpChannel: UdpChannel): E | undefined {
    const { endpoint: place, tag } = udpChannel.fields
    const endpoint = tag === undefined ? undefined : this.endpointByTag(tag)
    if (endpoint === undefined) {
      return undefined
    }
    const existing = endpoint.udpChannel
    // The address of a name may be another by now.
    const isSamePlace = place === existing.fields.endpoint || udpChannel.remote.equals(existing.remote)
    if (!isSamePlace || !udpChannel.local.equals(existing.local)) {
      const channels = `existingChannel=${existing.channel} channel=${udpChannel.channel}`
      const message = `matching tag=${tag} has mismatched endpoint or control: ${channels}`
      throw new ControlProtocolError(ErrorCode.GENERIC_ERROR, message)
    }
    return endpoint
  }

  private askedOf(udpChannel: UdpChannel): SocketBuffers.BufferLengths {
    return SocketBuffers.asked(udpChannel, this.context.settings)
  }

  /** On the port of the channel; where it says 0, on one of the range for that, or one that the system chooses. */
  private openSocket({ local, remote, udpChannel }: EndpointRequest<E>): UdpSocket {
    const { receive: receiveBufferLength, send: sendBufferLength } = this.askedOf(udpChannel)
    const openAt = (port: number): UdpSocket =>
      this.network.udp.open({
        local: port === local.port ? local : new SocketAddress(local.address, port),
        remote,
        receiveBufferLength,
        sendBufferLength
      })
    // Of senders only those that receivers are to find at a control address: what others answer to is told by datagrams.
    const isManaged = !this.ports.isSystems && (this.kind === RECEIVE || udpChannel.uri.has("control"))
    if (local.port === 0 && isManaged) {
      return this.ports.allocate(openAt, isAddressTaken)
    }
    const socket = openAt(local.port)
    this.ports.use(socket.localAddress.port)
    return socket
  }
}

const isAddressTaken = (error: unknown): boolean => error instanceof UdpSocketError && error.code === "EADDRINUSE"

/** For channels that do not have a tag in common. */
const isOneEndpoint = (existing: UdpChannel, { canonicalForm, fields }: UdpChannel): boolean =>
  existing.canonicalForm === canonicalForm && (existing.fields.tag === undefined || fields.tag === undefined)
