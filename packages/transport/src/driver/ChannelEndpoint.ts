/**
 * The endpoint of a channel as the conductor has it: who uses it, its counters, and the socket that it opened for the
 * sender or the receiver. `media/SendEndpoint` and `media/ReceiveEndpoint` are the other halves, which use the socket.
 */
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { UdpChannel } from "../channel/UdpChannel.ts"
import type { EndpointStatus } from "../media/EndpointStatus.ts"
import type { UdpSocket } from "../media/UdpPort.ts"

export abstract class ChannelEndpoint {
  readonly id: number
  readonly udpChannel: UdpChannel
  readonly status: EndpointStatus
  readonly socket: UdpSocket
  isClosing = false

  constructor(id: number, udpChannel: UdpChannel, status: EndpointStatus, socket: UdpSocket) {
    this.id = id
    this.udpChannel = udpChannel
    this.status = status
    this.socket = socket
  }

  abstract readonly shouldBeClosed: boolean

  /** To be called when no agent uses the socket any more. */
  close(): void {
    this.socket.close()
    this.status.close()
  }
}

export class SendChannelEndpoint extends ChannelEndpoint {
  /** Where to send; changes when the name is resolved anew. */
  remote: SocketAddress
  private references = 0

  constructor(id: number, udpChannel: UdpChannel, status: EndpointStatus, socket: UdpSocket) {
    super(id, udpChannel, status, socket)
    this.remote = udpChannel.remote
  }

  increaseReferences(): void {
    this.references++
  }

  decreaseReferences(): void {
    this.references--
  }

  get shouldBeClosed(): boolean {
    return this.references === 0 && !this.isClosing
  }
}

export class ReceiveChannelEndpoint extends ChannelEndpoint {
  readonly receiverId: bigint
  readonly groupTag: bigint | undefined
  private readonly streamReferences = new Map<string, number>()
  private imageReferences = 0

  constructor(
    id: number,
    udpChannel: UdpChannel,
    status: EndpointStatus,
    socket: UdpSocket,
    receiverId: bigint,
    groupTag: bigint | undefined
  ) {
    super(id, udpChannel, status, socket)
    this.receiverId = receiverId
    this.groupTag = groupTag
  }

  /** Another subscription wants the stream, or one session of it. Returns how many do now. */
  increaseStreamReferences(streamId: number, sessionId: number | undefined): number {
    const key = keyOf(streamId, sessionId)
    const count = (this.streamReferences.get(key) ?? 0) + 1
    this.streamReferences.set(key, count)
    return count
  }

  decreaseStreamReferences(streamId: number, sessionId: number | undefined): number {
    const key = keyOf(streamId, sessionId)
    const count = (this.streamReferences.get(key) ?? 0) - 1
    if (count > 0) {
      this.streamReferences.set(key, count)
    } else {
      this.streamReferences.delete(key)
    }
    return count
  }

  increaseImageReferences(): void {
    this.imageReferences++
  }

  decreaseImageReferences(): void {
    this.imageReferences--
  }

  get shouldBeClosed(): boolean {
    return this.streamReferences.size === 0 && this.imageReferences === 0 && !this.isClosing
  }
}

const keyOf = (streamId: number, sessionId: number | undefined): string => `${streamId} ${sessionId ?? "*"}`
