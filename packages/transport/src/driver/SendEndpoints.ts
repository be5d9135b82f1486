/** The endpoints that network publications send by. */
import type { UdpChannel } from "../channel/UdpChannel.ts"
import { SEND } from "../media/EndpointStatus.ts"
import { SendEndpoint } from "../media/SendEndpoint.ts"
import { ChannelResolution } from "./ChannelResolution.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import { EndpointTable } from "./EndpointTable.ts"
import type { Sender } from "./Sender.ts"
import * as SocketBuffers from "./SocketBuffers.ts"
import * as SystemCounters from "./SystemCounters.ts"

/** An endpoint whose name is being looked up again. */
interface PendingResolution {
  readonly endpoint: SendEndpoint
  readonly resolution: ChannelResolution
}

export class SendEndpoints {
  private readonly context: DriverContext
  private readonly network: DriverNetwork
  private readonly endpoints: EndpointTable<SendEndpoint>
  private resolutions: ReadonlyArray<PendingResolution> = []

  constructor(context: DriverContext, network: DriverNetwork, sender: Sender, closing: ClosingEndpoints) {
    this.context = context
    this.network = network
    this.endpoints = new EndpointTable(context, network, SEND, sender, closing)
  }

  /** The endpoint of a channel, for datagrams of this length. */
  get(registrationId: bigint, udpChannel: UdpChannel, mtuLength: number, nowNs: number): SendEndpoint {
    const { systemCounters } = this.context
    return this.endpoints.get({
      registrationId,
      udpChannel,
      local: udpChannel.local,
      remote: udpChannel.remote,
      make: (status, socket) => new SendEndpoint(udpChannel, status, socket, systemCounters, nowNs),
      check: ({ sendBufferLength }) => SocketBuffers.checkMtu(udpChannel, mtuLength, sendBufferLength)
    })
  }

  closeIfUnused(endpoint: SendEndpoint): void {
    this.endpoints.closeIfUnused(endpoint)
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
    this.endpoints.close()
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
}
