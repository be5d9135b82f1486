/** The endpoints that network publications send by. */
import { SEND_TIMESTAMP_OFFSET, type UdpChannel } from "../channel/UdpChannel.ts"
import { SEND } from "../media/EndpointStatus.ts"
import type { SharedResources } from "./AgentResources.ts"
import { SendChannelEndpoint } from "./ChannelEndpoint.ts"
import { ChannelResolution } from "./ChannelResolution.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import { EndpointTable } from "./EndpointTable.ts"
import type { SenderCommands } from "./SenderCommands.ts"
import { confirmTimestamps } from "./EndpointTimestamps.ts"
import * as ErrorText from "./ErrorText.ts"
import * as SocketBuffers from "./SocketBuffers.ts"
import * as SystemCounters from "./SystemCounters.ts"

/** An endpoint whose name is being looked up again. */
interface PendingResolution {
  readonly endpoint: SendChannelEndpoint
  readonly resolution: ChannelResolution
}

export class SendEndpoints {
  private readonly context: DriverContext
  private readonly network: DriverNetwork
  private readonly sender: SenderCommands
  private readonly endpoints: EndpointTable<SendChannelEndpoint>
  private resolutions: ReadonlyArray<PendingResolution> = []

  constructor(
    context: DriverContext,
    network: DriverNetwork,
    sender: SenderCommands,
    closing: ClosingEndpoints,
    resources: SharedResources
  ) {
    this.context = context
    this.network = network
    this.sender = sender
    const agent = {
      onRegisterEndpoint: ({ id, remote, socket, udpChannel }: SendChannelEndpoint) => {
        const { sendTimestampOffset: timestampOffset } = udpChannel.fields
        sender.onRegisterEndpoint({ id, remote, timestampOffset, socket: socket.handle })
      },
      onCloseEndpoint: ({ id }: SendChannelEndpoint) => sender.onCloseEndpoint(id)
    }
    this.endpoints = new EndpointTable(context, network, SEND, agent, closing, resources)
  }

  findByTag(tag: bigint): UdpChannel | undefined {
    return this.endpoints.findByTag(tag)
  }

  /** The endpoint of a channel, for datagrams of this length. */
  get(registrationId: bigint, udpChannel: UdpChannel, mtuLength: number): SendChannelEndpoint {
    return this.endpoints.get({
      registrationId,
      udpChannel,
      local: udpChannel.local,
      remote: udpChannel.remote,
      make: (id, status, socket) => new SendChannelEndpoint(id, udpChannel, status, socket),
      confirm: (existing) => confirmTimestamps(udpChannel, existing, SEND_TIMESTAMP_OFFSET),
      check: (usable) => SocketBuffers.checkMtu(udpChannel, mtuLength, usable)
    })
  }

  closeIfUnused(endpoint: SendChannelEndpoint): void {
    this.endpoints.closeIfUnused(endpoint)
  }

  /** The name of the endpoint is looked up again: its receivers are silent. */
  onSilent(endpointId: number): void {
    const endpoint = this.endpoints.find(endpointId)
    if (endpoint === undefined) {
      return
    }
    const surroundings = { uniqueSuffix: () => "", findByTag: (tag: bigint) => this.findByTag(tag) }
    const resolution = new ChannelResolution(this.network, endpoint.udpChannel.uri, surroundings, true)
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

  private isResolved(endpoint: SendChannelEndpoint, resolution: ChannelResolution): boolean {
    try {
      const udpChannel = resolution.poll()
      if (udpChannel !== undefined && !endpoint.isClosing && !udpChannel.remote.equals(endpoint.remote)) {
        endpoint.remote = udpChannel.remote
        this.sender.onResolutionChange(endpoint.id, endpoint.remote)
        this.context.systemCounters.increment(SystemCounters.RESOLUTION_CHANGES)
      }
      return udpChannel !== undefined
    } catch (error) {
      // What is sent goes where it went before.
      this.context.recordError(`WARN ${ErrorText.of(error)}`)
      return true
    }
  }
}
