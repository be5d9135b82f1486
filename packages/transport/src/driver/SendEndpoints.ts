/** The endpoints that network publications send by: opened for the first, shared, closed after the last. */
import type { UdpChannel } from "../channel/UdpChannel.ts"
import { EndpointStatus, SEND } from "../media/EndpointStatus.ts"
import { SendEndpoint } from "../media/SendEndpoint.ts"
import { ChannelResolution } from "./ChannelResolution.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import type { Sender } from "./Sender.ts"
import * as SocketBuffers from "./SocketBuffers.ts"
import { socketFailure } from "./SocketFailure.ts"
import * as SystemCounters from "./SystemCounters.ts"

/** An endpoint whose name is being looked up again. */
interface PendingResolution {
  readonly endpoint: SendEndpoint
  readonly resolution: ChannelResolution
}

export class SendEndpoints {
  private readonly context: DriverContext
  private readonly network: DriverNetwork
  private readonly sender: Sender
  private readonly closing: ClosingEndpoints
  private readonly endpoints = new Map<string, SendEndpoint>()
  private resolutions: ReadonlyArray<PendingResolution> = []

  constructor(context: DriverContext, network: DriverNetwork, sender: Sender, closing: ClosingEndpoints) {
    this.context = context
    this.network = network
    this.sender = sender
    this.closing = closing
  }

  /** The endpoint of a channel, for datagrams of this length. */
  get(registrationId: bigint, udpChannel: UdpChannel, mtuLength: number, nowNs: number): SendEndpoint {
    const existing = this.endpoints.get(udpChannel.canonicalForm)
    if (existing !== undefined) {
      SocketBuffers.confirmMatch(udpChannel, existing.udpChannel)
    }
    const endpoint = existing ?? this.open(registrationId, udpChannel, nowNs)
    try {
      SocketBuffers.checkMtu(udpChannel, mtuLength, endpoint.socket.sendBufferLength)
    } catch (error) {
      this.closeIfUnused(endpoint)
      throw error
    }
    return endpoint
  }

  closeIfUnused(endpoint: SendEndpoint): void {
    if (endpoint.shouldBeClosed) {
      endpoint.isClosing = true
      endpoint.status.onClosing()
      this.sender.onCloseEndpoint(endpoint)
      this.endpoints.delete(endpoint.udpChannel.canonicalForm)
      this.closing.add(endpoint)
    }
  }

  /** The name of the endpoint is looked up again: its receivers are silent. */
  onSilent(endpoint: SendEndpoint): void {
    const resolution = new ChannelResolution(this.network, endpoint.udpChannel.uri, () => "", true)
    this.resolutions = [...this.resolutions, { endpoint, resolution }]
  }

  checkResolutions(): number {
    const pending = this.resolutions.filter(({ endpoint, resolution }) => !this.isResolved(endpoint, resolution))
    const workCount = this.resolutions.length - pending.length
    this.resolutions = pending
    return workCount
  }

  close(): void {
    for (const endpoint of this.endpoints.values()) {
      endpoint.close()
    }
    this.endpoints.clear()
  }

  private isResolved(endpoint: SendEndpoint, resolution: ChannelResolution): boolean {
    try {
      const udpChannel = resolution.poll()
      if (udpChannel !== undefined && !udpChannel.remote.equals(endpoint.remote)) {
        endpoint.remote = udpChannel.remote
        this.context.systemCounters.increment(SystemCounters.RESOLUTION_CHANGES)
      }
      return udpChannel !== undefined
    } catch (error) {
      this.context.recordError(error)
      return true
    }
  }

  private open(registrationId: bigint, udpChannel: UdpChannel, nowNs: number): SendEndpoint {
    const { counters, settings, systemCounters } = this.context
    const status = new EndpointStatus(counters, SEND, registrationId, udpChannel.channel)
    try {
      const socket = this.network.udp.open({
        local: udpChannel.local,
        remote: udpChannel.remote,
        receiveBufferLength: udpChannel.fields.receiveBufferLength || settings.socketReceiveBufferLength,
        sendBufferLength: udpChannel.fields.sendBufferLength || settings.socketSendBufferLength
      })
      const endpoint = new SendEndpoint(udpChannel, status, socket, systemCounters, nowNs)
      this.endpoints.set(udpChannel.canonicalForm, endpoint)
      status.onActive(socket.localAddress.text)
      this.sender.onRegisterEndpoint(endpoint)
      return endpoint
    } catch (error) {
      status.close()
      throw socketFailure(error, udpChannel)
    }
  }
}
