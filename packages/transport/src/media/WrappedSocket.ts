/** Sockets that see datagrams on their way through another socket. What they do not change is the other's. */
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { DatagramHandler, SocketHandle, UdpPort, UdpSocket, UdpSocketOptions } from "./UdpPort.ts"

export abstract class WrappedSocket implements UdpSocket {
  protected readonly socket: UdpSocket
  private handler: DatagramHandler = () => {}
  private readonly onDatagram: DatagramHandler = (buffer, offset, length, source) => {
    if (this.passes(buffer, offset, length, source)) {
      this.handler(buffer, offset, length, source)
    }
  }

  constructor(socket: UdpSocket) {
    this.socket = socket
  }

  get localAddress(): SocketAddress {
    return this.socket.localAddress
  }

  get descriptor(): number | undefined {
    return this.socket.descriptor
  }

  get handle(): SocketHandle | undefined {
    return this.socket.handle
  }

  get receiveBufferLength(): number {
    return this.socket.receiveBufferLength
  }

  get sendBufferLength(): number {
    return this.socket.sendBufferLength
  }

  /** Sees a datagram that has arrived, and says whether it is handed on. */
  protected abstract passes(buffer: FrameBuffer, offset: number, length: number, source: SocketAddress): boolean

  abstract send(buffer: FrameBuffer, offset: number, length: number, target: SocketAddress): number

  abstract sendMany(
    buffer: AtomicBuffer,
    offsets: Int32Array,
    lengths: Int32Array,
    count: number,
    target: SocketAddress
  ): number

  poll(handler: DatagramHandler, limit: number): number {
    this.handler = handler
    return this.socket.poll(this.onDatagram, limit)
  }

  close(): void {
    this.socket.close()
  }
}

/** `port` with each of its sockets wrapped. Those with one peer are senders'. */
export const wrapPort = (port: UdpPort, wrap: (socket: UdpSocket, isSender: boolean) => UdpSocket): UdpPort => ({
  open: (options: UdpSocketOptions) => wrap(port.open(options), options.remote !== undefined),
  ...(port.adopt === undefined
    ? {}
    : { adopt: (handle: SocketHandle) => wrap(port.adopt!(handle), handle.remote !== undefined) })
})
