/** The endpoints that network subscriptions receive by. */
import type { UdpChannel } from "../channel/UdpChannel.ts"
import { RECEIVE } from "../media/EndpointStatus.ts"
import { ReceiveEndpoint } from "../media/ReceiveEndpoint.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import { EndpointTable } from "./EndpointTable.ts"
import type { Receiver } from "./Receiver.ts"
import * as SocketBuffers from "./SocketBuffers.ts"

export class ReceiveEndpoints {
  private readonly context: DriverContext
  private readonly receiver: Receiver
  private readonly endpoints: EndpointTable<ReceiveEndpoint>
  private nextReceiverId: bigint

  constructor(context: DriverContext, network: DriverNetwork, receiver: Receiver, closing: ClosingEndpoints) {
    this.context = context
    this.receiver = receiver
    this.endpoints = new EndpointTable(context, network, RECEIVE, receiver, closing)
    this.nextReceiverId = (BigInt(context.randomInt32()) << 32n) | BigInt(context.randomInt32() >>> 0)
  }

  get(registrationId: bigint, udpChannel: UdpChannel): ReceiveEndpoint {
    const { systemCounters } = this.context
    const { groupTag } = udpChannel.fields
    return this.endpoints.get({
      registrationId,
      udpChannel,
      local: udpChannel.remote,
      remote: undefined,
      make: (status, socket) =>
        new ReceiveEndpoint(
          { udpChannel, status, socket, receiverId: this.nextReceiverId++, groupTag, systemCounters },
          this.receiver
        ),
      check: ({ receiveBufferLength }) =>
        SocketBuffers.checkWindow(udpChannel, this.windowLength(udpChannel), receiveBufferLength)
    })
  }

  /** How much a sender may have under way, if its terms allow it. */
  windowLength(udpChannel: UdpChannel): number {
    return udpChannel.fields.receiverWindowLength || this.context.settings.subscription.receiverWindowLength
  }

  closeIfUnused(endpoint: ReceiveEndpoint): void {
    this.endpoints.closeIfUnused(endpoint)
  }

  close(): void {
    this.endpoints.close()
  }
}
