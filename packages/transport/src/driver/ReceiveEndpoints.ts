/** The endpoints that network subscriptions receive by: opened for the first, shared, closed after the last. */
import type { UdpChannel } from "../channel/UdpChannel.ts"
import { EndpointStatus, RECEIVE } from "../media/EndpointStatus.ts"
import { ReceiveEndpoint } from "../media/ReceiveEndpoint.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import type { Receiver } from "./Receiver.ts"
import * as SocketBuffers from "./SocketBuffers.ts"
import { socketFailure } from "./SocketFailure.ts"

export class ReceiveEndpoints {
  private readonly context: DriverContext
  private readonly network: DriverNetwork
  private readonly receiver: Receiver
  private readonly closing: ClosingEndpoints
  private readonly endpoints = new Map<string, ReceiveEndpoint>()
  private nextReceiverId: bigint

  constructor(context: DriverContext, network: DriverNetwork, receiver: Receiver, closing: ClosingEndpoints) {
    this.context = context
    this.network = network
    this.receiver = receiver
    this.closing = closing
    this.nextReceiverId = (BigInt(context.randomInt32()) << 32n) | BigInt(context.randomInt32() >>> 0)
  }

  get(registrationId: bigint, udpChannel: UdpChannel): ReceiveEndpoint {
    const existing = this.endpoints.get(udpChannel.canonicalForm)
    if (existing !== undefined) {
      SocketBuffers.confirmMatch(udpChannel, existing.udpChannel)
    }
    const endpoint = existing ?? this.open(registrationId, udpChannel)
    try {
      SocketBuffers.checkWindow(udpChannel, this.windowLength(udpChannel), endpoint.socket.receiveBufferLength)
    } catch (error) {
      this.closeIfUnused(endpoint)
      throw error
    }
    return endpoint
  }

  /** How much a sender may have under way, if its terms allow it. */
  windowLength(udpChannel: UdpChannel): number {
    return udpChannel.fields.receiverWindowLength || this.context.settings.subscription.receiverWindowLength
  }

  closeIfUnused(endpoint: ReceiveEndpoint): void {
    if (endpoint.shouldBeClosed) {
      endpoint.isClosing = true
      endpoint.status.onClosing()
      this.receiver.onCloseEndpoint(endpoint)
      this.endpoints.delete(endpoint.udpChannel.canonicalForm)
      this.closing.add(endpoint)
    }
  }

  close(): void {
    for (const endpoint of this.endpoints.values()) {
      endpoint.close()
    }
    this.endpoints.clear()
  }

  private open(registrationId: bigint, udpChannel: UdpChannel): ReceiveEndpoint {
    const { counters, settings, systemCounters } = this.context
    const status = new EndpointStatus(counters, RECEIVE, registrationId, udpChannel.channel)
    try {
      const receiveBufferLength = udpChannel.fields.receiveBufferLength || settings.socketReceiveBufferLength
      const socket = this.network.udp.open({
        local: udpChannel.remote,
        remote: undefined,
        receiveBufferLength,
        sendBufferLength: udpChannel.fields.sendBufferLength || settings.socketSendBufferLength
      })
      const endpoint = new ReceiveEndpoint(
        {
          udpChannel,
          status,
          socket,
          receiverId: this.nextReceiverId++,
          groupTag: udpChannel.fields.groupTag,
          systemCounters
        },
        this.receiver
      )
      this.endpoints.set(udpChannel.canonicalForm, endpoint)
      status.onActive(socket.localAddress.text)
      this.receiver.onRegisterEndpoint(endpoint)
      return endpoint
    } catch (error) {
      status.close()
      throw socketFailure(error, udpChannel)
    }
  }
}
