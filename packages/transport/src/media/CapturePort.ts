/**
 * A port whose datagrams are all shown to somebody who keeps them: those that went out and those that came in, as they
 * are on the wire. What interceptors lose on purpose never gets here when it is sent, and does when it arrives.
 */
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { any, type SocketAddress } from "../channel/SocketAddress.ts"
import type { DatagramHandler, UdpPort, UdpSocket } from "./UdpPort.ts"
import { wrapPort, WrappedSocket } from "./WrappedSocket.ts"

export interface Recorder {
  /** The bytes are valid during the call alone. Both ends are of one family. */
  readonly record: (source: SocketAddress, target: SocketAddress, payload: Uint8Array) => void
  /** Called once a poll: what was recorded may be put where it belongs. */
  readonly flush: () => void
}

class CapturingSocket extends WrappedSocket {
  private readonly recorder: Recorder

  constructor(socket: UdpSocket, recorder: Recorder) {
    super(socket)
    this.recorder = recorder
  }

  protected override passes(buffer: FrameBuffer, offset: number, length: number, source: SocketAddress): boolean {
    this.recorder.record(source, this.localFor(source), buffer.bytes.subarray(offset, offset + length))
    return true
  }

  override send(buffer: FrameBuffer, offset: number, length: number, target: SocketAddress): number {
    const sent = this.socket.send(buffer, offset, length, target)
    if (sent > 0) {
      this.recorder.record(this.localFor(target), target, buffer.bytes.subarray(offset, offset + length))
    }
    return sent
  }

  override sendMany(
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

  override poll(handler: DatagramHandler, limit: number): number {
    const bytes = super.poll(handler, limit)
    this.recorder.flush()
    return bytes
  }

  override close(): void {
    this.recorder.flush()
    super.close()
  }

  /** A socket of both families has a wildcard of one. */
  private localFor(peer: SocketAddress): SocketAddress {
    const { localAddress } = this.socket
    return localAddress.family === peer.family ? localAddress : any(peer.family, localAddress.port)
  }
}

export const wrap = (port: UdpPort, recorder: Recorder): UdpPort =>
  wrapPort(port, (socket) => new CapturingSocket(socket, recorder))
