/** The endpoints that network subscriptions receive by. */
import { RECEIVE_TIMESTAMP_OFFSET, type UdpChannel } from "../channel/UdpChannel.ts"
import { RECEIVE } from "../media/EndpointStatus.ts"
import type { SharedResources } from "./AgentResources.ts"
import { ReceiveChannelEndpoint } from "./ChannelEndpoint.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import { EndpointTable } from "./EndpointTable.ts"
import type { ReceiverCommands } from "./ReceiverCommands.ts"
import { confirmTimestamps } from "./EndpointTimestamps.ts"
import * as SocketBuffers from "./SocketBuffers.ts"

export class ReceiveEndpoints {
  private readonly context: DriverContext
  private readonly endpoints: EndpointTable<ReceiveChannelEndpoint>
  private nextReceiverId: bigint

  constructor(
    context: DriverContext,
    network: DriverNetwork,
    receiver: ReceiverCommands,
    closing: ClosingEndpoints,
    resources: SharedResources
  ) {
    this.context = context
    const agent = {
      onRegisterEndpoint: ({ groupTag, id, receiverId, socket, udpChannel }: ReceiveChannelEndpoint) => {
        const { receiveTimestampOffset: timestampOffset } = udpChannel.fields
        receiver.onRegisterEndpoint({ id, receiverId, groupTag, timestampOffset, socket: socket.handle })
      },
      onCloseEndpoint: ({ id }: ReceiveChannelEndpoint) => receiver.onCloseEndpoint(id)
    }
    this.endpoints = new EndpointTable(context, network, RECEIVE, agent, closing, resources)
    this.nextReceiverId = (BigInt(context.randomInt32()) << 32n) | BigInt(context.randomInt32() >>> 0)
  }

  find(endpointId: number): ReceiveChannelEndpoint | undefined {
    return this.endpoints.find(endpointId)
  }

  findByTag(tag: bigint): UdpChannel | undefined {
    return this.endpoints.findByTag(tag)
  }

  findShared(udpChannel: UdpChannel): ReceiveChannelEndpoint | undefined {
    return this.endpoints.findShared(udpChannel)
  }

  get(registrationId: bigint, udpChannel: UdpChannel): ReceiveChannelEndpoint {
    return this.endpoints.get({
      registrationId,
      udpChannel,
      local: udpChannel.remote,
      remote: undefined,
      make: (id, status, socket) =>
        new ReceiveChannelEndpoint(
          id,
          udpChannel,
          status,
          socket,
          this.nextReceiverId++,
          udpChannel.fields.groupTag ?? this.context.settings.receiverGroupTag
        ),
      confirm: (existing) => confirmTimestamps(udpChannel, existing, RECEIVE_TIMESTAMP_OFFSET),
      check: (usable) => SocketBuffers.checkWindow(udpChannel, this.windowLength(udpChannel), usable)
    })
  }

  /** How much a sender may have under way, if its terms allow it. */
  windowLength(udpChannel: UdpChannel): number {
    return udpChannel.fields.receiverWindowLength || this.context.settings.subscription.receiverWindowLength
  }

  closeIfUnused(endpoint: ReceiveChannelEndpoint): void {
    this.endpoints.closeIfUnused(endpoint)
  }

  close(): void {
    this.endpoints.close()
  }
}
