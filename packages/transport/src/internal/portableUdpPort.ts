/** Sockets by `node:dgram`: slower than the system's calls, and there on every platform. */
import * as dgram from "node:dgram"
import { type FrameBuffer, frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as Addresses from "../channel/SocketAddress.ts"
import { SocketAddress } from "../channel/SocketAddress.ts"
import type { UdpFaults } from "./udpFaults.ts"
import {
  type DatagramHandler,
  type UdpPort,
  type UdpSocket,
  UdpSocketError,
  type UdpSocketOptions
} from "../media/UdpPort.ts"

/** What has arrived and was not taken yet; more is lost, as in a full buffer of the system. */
const ARRIVED_MAX = 4096
/** Sends that the system has not taken yet; more wait with the caller. */
const UNDER_WAY_MAX = 256

/** `onArrival` is called for each datagram: these sockets have no descriptor that could end a park. */
export const make = (faults: UdpFaults, onArrival: () => void = () => {}): UdpPort => ({
  open: (options) => new PortableUdpSocket(options, faults, onArrival)
})

const socketError = (error: NodeJS.ErrnoException, of: string): UdpSocketError =>
  new UdpSocketError(error.code ?? "UNKNOWN", `${error.message}${of}`)

interface Arrived {
  readonly bytes: Buffer
  readonly source: SocketAddress
}

class PortableUdpSocket implements UdpSocket {
  readonly localAddress: SocketAddress
  readonly descriptor = undefined
  readonly receiveBufferLength: number
  readonly sendBufferLength: number
  private readonly socket: dgram.Socket
  private readonly arrived: Array<Arrived> = []
  /** The peer, when there is one: datagrams of others are dropped. */
  private remote: SocketAddress | undefined
  private underWay = 0
  private isOpen = false
  private readonly faults: UdpFaults
  private readonly onArrival: () => void

  constructor(options: UdpSocketOptions, faults: UdpFaults, onArrival: () => void) {
    this.faults = faults
    this.onArrival = onArrival
    const { family } = options.local
    this.remote = options.remote
    this.socket = dgram.createSocket({
      type: family === 4 ? "udp4" : "udp6",
      ipv6Only: family === 6,
      // Addresses are literal, so there is nothing to look up, and binding is done when `bind` returns.
      lookup: (hostname, _options, done) => done(null, hostname, family)
    })
    let failure: Error | undefined
    this.socket.on("error", (error) => {
      failure = error
      if (this.isOpen) {
        this.faults.onError(new Error(`UDP socket on ${this.localAddress.text}: ${error.message}`))
      }
    })
    this.socket.on("message", (bytes, info) => this.onMessage(bytes, info))
    this.socket.bind({ address: options.local.host, port: options.local.port, exclusive: true })
    if (failure !== undefined) {
      this.socket.close()
      throw socketError(failure, "")
    }
    try {
      const { address, port } = this.socket.address()
      this.localAddress = new SocketAddress(Addresses.parseAddress(address)!, port)
      this.receiveBufferLength = this.resize(options.receiveBufferLength, "setRecvBufferSize", "getRecvBufferSize")
      this.sendBufferLength = this.resize(options.sendBufferLength, "setSendBufferSize", "getSendBufferSize")
    } catch (error) {
      this.socket.close()
      throw socketError(
        error as Error,
        ` (receive buffer ${options.receiveBufferLength}, send buffer ${options.sendBufferLength})`
      )
    }
    this.isOpen = true
  }

  send(buffer: FrameBuffer, offset: number, length: number, target: SocketAddress): number {
    if (this.underWay >= UNDER_WAY_MAX) {
      return 0
    }
    this.aim(target)
    this.underWay++
    // A copy: the caller's buffer may change before the system takes the datagram.
    const bytes = Buffer.from(buffer.bytes.subarray(offset, offset + length))
    this.socket.send(bytes, target.port, target.host, this.onSent)
    return length
  }

  sendMany(
    buffer: AtomicBuffer,
    offsets: Int32Array,
    lengths: Int32Array,
    count: number,
    target: SocketAddress
  ): number {
    for (let i = 0; i < count; i++) {
      if (this.send(buffer, offsets[i]!, lengths[i]!, target) === 0) {
        return i
      }
    }
    return count
  }

  poll(handler: DatagramHandler, limit: number): number {
    let length = 0
    for (const { bytes, source } of this.arrived.splice(0, limit)) {
      length += bytes.length
      handler(frameBuffer(bytes), 0, bytes.length, source)
    }
    return length
  }

  close(): void {
    this.isOpen = false
    this.socket.close()
  }

  /** After the end of the driver, too, when there are no counters any more. */
  private readonly onSent = (error: Error | null): void => {
    this.underWay--
    if (error !== null && this.isOpen) {
      this.faults.onSendFailed()
    }
  }

  private aim(target: SocketAddress): void {
    if (this.remote !== undefined && !target.equals(this.remote)) {
      this.remote = target
    }
  }

  private onMessage(bytes: Buffer, info: dgram.RemoteInfo): void {
    const address = Addresses.parseAddress(info.address)
    if (address === undefined || this.arrived.length >= ARRIVED_MAX) {
      return
    }
    const source = new SocketAddress(address, info.port)
    if (this.remote === undefined || source.equals(this.remote)) {
      this.arrived.push({ bytes, source })
      this.onArrival()
    }
  }

  /** Returns what the system reports, which on Linux is twice what was asked for: as other drivers see it. */
  private resize(
    length: number,
    set: "setRecvBufferSize" | "setSendBufferSize",
    get: "getRecvBufferSize" | "getSendBufferSize"
  ): number {
    if (length > 0) {
      this.socket[set](length)
    }
    return this.socket[get]()
  }
}
