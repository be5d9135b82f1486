/**
 * A port whose datagrams are all shown to somebody who keeps them: those that went out and those that came in, as they
 * are on the wire. What interceptors lose on purpose never gets here when it is sent, and does when it arrives.
 */
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { any, type SocketAddress } from "../channel/SocketAddress.ts"
import type { DatagramHandler, SocketHandle, UdpPort, UdpSocket, UdpSocketOptions } from "./UdpPort.ts"

export interface Recorder {
  /** The bytes are valid during the call alone. Both ends are of one family. */
  readonly record: (source: SocketAddress, target: SocketAddress, payload: Uint8Array) => void
  /** Called once a poll: what was recorded may be put where it belongs. */
  readonly flush: () => void
}

class CapturingSocket implements UdpSocket {
  private readonly socket: UdpSocket
  private readonly recorder: Recorder
  private handler: DatagramHandler = () => {}
  private readonly onDatagram: DatagramHandler = (buffer, offset, length, source) => {
    this.recorder.record(source, this.localFor(source), buffer.bytes.subarray(offset, offset + length))
    this.handler(buffer, offset, length, source)
  }

  constructor(socket: UdpSocket, recorder: Recorder) {
    this.socket = socket
    this.recorder = recorder
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

  send(buffer: FrameBuffer, offset: number, length: number, target: SocketAddress): number {
    const sent = this.socket.send(buffer, offset, length, target)
    if (sent > 0) {
      this.recorder.record(this.localFor(target), target, buffer.bytes.subarray(offset, offset + length))
    }
    return sent
  }

  sendMany(
    buffer: AtomicBuffer,
    offsets: Int32Array,
    lengths: Int32Array,
    count: number,
    target: SocketAddress
  ): number {
    const sent = this.socket.sendMany(buffer, offsets, lengths, count, target)
    const local = this.localFor(target)
    for (let index = 0; index < sent; index++) {
      const offset = offsets[index]!
      this.recorder.record(local, target, buffer.bytes.subarray(offset, offset + lengths[index]!))
    }
    return sent
  }

  poll(handler: DatagramHandler, limit: number): number {
    this.handler = handler
    const bytes = this.socket.poll(this.onDatagram, limit)
    this.recorder.flush()
    return bytes
  }

  close(): void {
    this.recorder.flush()
    this.socket.close()
  }

  /** A socket of both families has a wildcard of one. */
  private localFor(peer: SocketAddress): SocketAddress {
    const { localAddress } = this.socket
    return localAddress.family === peer.family ? localAddress : any(peer.family, localAddress.port)
  }
}

export const wrap = (port: UdpPort, recorder: Recorder): UdpPort => ({
  open: (options: UdpSocketOptions) => new CapturingSocket(port.open(options), recorder),
  ...(port.adopt === undefined
    ? {}
    : { adopt: (handle: SocketHandle) => new CapturingSocket(port.adopt!(handle), recorder) })
})
