/**
 * A network in memory: hosts with addresses, sockets with queues, and datagrams that take their time, get lost, come
 * twice or out of order. All chance comes from one random source and all time from one clock, so a run is repeated by
 * its seed.
 */
import { type FrameBuffer, frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import { SocketAddress } from "../channel/SocketAddress.ts"
import {
  type Address,
  type DatagramHandler,
  type SocketHandle,
  type UdpPort,
  type UdpSocket,
  UdpSocketError,
  type UdpSocketOptions
} from "./UdpPort.ts"

export interface NetworkFaults {
  /** Chances from 0 to 1. */
  lossRate: number
  duplicateRate: number
  /** How many are held up so long that others overtake them. */
  reorderRate: number
  reorderDelayNs: number
  /** Each datagram takes a time between the two. */
  delayMinNs: number
  delayMaxNs: number
  /** Whether datagrams between these hosts are lost. */
  isPartitioned: (source: SocketAddress, target: SocketAddress) => boolean
  /** Loses chosen datagrams, whatever the rate. */
  drops: (buffer: FrameBuffer, source: SocketAddress, target: SocketAddress) => boolean
}

export interface SimulatedNetworkOptions {
  readonly nanoTime: () => number
  /** A number from 0 up to 1. */
  readonly random: () => number
  /** Datagrams that a socket holds; more are lost, as in a real receive buffer. */
  readonly queueLength: number
}

/** Sees what is sent, whatever becomes of it. Must not throw. */
export type NetworkTap = (datagram: FrameBuffer, source: SocketAddress, target: SocketAddress) => void

interface Datagram {
  readonly bytes: Uint8Array
  readonly source: SocketAddress
  readonly dueNs: number
}

const EPHEMERAL_PORT_MIN = 40_000
const BUFFER_LENGTH = 2 * 1024 * 1024

const noFaults = (): NetworkFaults => ({
  lossRate: 0,
  duplicateRate: 0,
  reorderRate: 0,
  reorderDelayNs: 1e6,
  delayMinNs: 0,
  delayMaxNs: 0,
  isPartitioned: () => false,
  drops: () => false
})

export class SimulatedNetwork {
  readonly faults: NetworkFaults = noFaults()
  readonly options: SimulatedNetworkOptions
  tap: NetworkTap = () => {}
  private readonly sockets = new Map<string, SimulatedSocket>()
  private nextPort = EPHEMERAL_PORT_MIN
  private nextDescriptor = 0

  constructor(options: SimulatedNetworkOptions) {
    this.options = options
  }

  /** From now on nothing goes wrong. */
  heal(): void {
    Object.assign(this.faults, noFaults())
  }

  /** The port of a host with this address. */
  host(address: Uint8Array): UdpPort {
    return { open: (options) => this.open(address, options), adopt: (handle) => this.adopt(handle) }
  }

  /** The addresses that are bound. */
  get bound(): ReadonlyArray<string> {
    return [...this.sockets.keys()]
  }

  /** The process at this address is gone, and its sockets with it. */
  dropHost(address: Uint8Array): void {
    for (const socket of this.sockets.values()) {
      const bound = socket.localAddress.address
      if (bound.length === address.length && bound.every((byte, index) => byte === address[index])) {
        socket.close()
      }
    }
  }

  close(socket: SimulatedSocket): void {
    if (this.sockets.get(socket.localAddress.text) === socket) {
      this.sockets.delete(socket.localAddress.text)
    }
  }

  send(source: SocketAddress, target: SocketAddress, buffer: FrameBuffer, offset: number, length: number): void {
    const bytes = buffer.bytes.slice(offset, offset + length)
    const { faults, options } = this
    const datagram = frameBuffer(bytes)
    this.tap(datagram, source, target)
    const isLost =
      faults.isPartitioned(source, target) ||
      faults.drops(datagram, source, target) ||
      options.random() < faults.lossRate
    if (isLost) {
      return
    }
    const copies = options.random() < faults.duplicateRate ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      this.sockets.get(target.text)?.receive({ bytes, source, dueNs: options.nanoTime() + this.delayNs() })
    }
  }

  private delayNs(): number {
    const { delayMaxNs, delayMinNs, reorderDelayNs, reorderRate } = this.faults
    const heldUpNs = this.options.random() < reorderRate ? reorderDelayNs : 0
    return delayMinNs + this.options.random() * (delayMaxNs - delayMinNs) + heldUpNs
  }

  private open(address: Uint8Array, options: UdpSocketOptions): UdpSocket {
    const host = options.local.isAny ? address : options.local.address
    const local = new SocketAddress(host, options.local.port === 0 ? this.nextPort++ : options.local.port)
    if (this.sockets.has(local.text)) {
      throw new UdpSocketError("EADDRINUSE", `${local.text} is in use`)
    }
    const socket = new SimulatedSocket(this, this.nextDescriptor++, local, options.remote)
    this.sockets.set(local.text, socket)
    return socket
  }

  /** A thread that takes a socket over has the same one, as with a descriptor of the system. */
  private adopt({ descriptor }: SocketHandle): UdpSocket {
    for (const socket of this.sockets.values()) {
      if (socket.handle.descriptor === descriptor) {
        return socket
      }
    }
    throw new UdpSocketError("EBADF", `there is no socket ${descriptor}`)
  }
}

class SimulatedSocket implements UdpSocket {
  readonly localAddress: SocketAddress
  readonly descriptor = undefined
  readonly handle: SocketHandle
  readonly receiveBufferLength = BUFFER_LENGTH
  readonly sendBufferLength = BUFFER_LENGTH
  private readonly network: SimulatedNetwork
  private remote: SocketAddress | undefined
  /** What is due first stands first; of what is due at once, what was sent first. */
  private readonly queue: Array<Datagram> = []

  constructor(
    network: SimulatedNetwork,
    descriptor: number,
    localAddress: SocketAddress,
    remote: SocketAddress | undefined
  ) {
    this.network = network
    this.localAddress = localAddress
    this.remote = remote
    this.handle = {
      descriptor,
      local: plain(localAddress),
      remote: remote === undefined ? undefined : plain(remote),
      receiveBufferLength: BUFFER_LENGTH,
      sendBufferLength: BUFFER_LENGTH
    }
  }

  send(buffer: FrameBuffer, offset: number, length: number, target: SocketAddress): number {
    this.aim(target)
    this.network.send(this.localAddress, target, buffer, offset, length)
    return length
  }

  sendMany(
    buffer: FrameBuffer,
    offsets: Int32Array,
    lengths: Int32Array,
    count: number,
    target: SocketAddress
  ): number {
    this.aim(target)
    for (let i = 0; i < count; i++) {
      this.network.send(this.localAddress, target, buffer, offsets[i]!, lengths[i]!)
    }
    return count
  }

  /** A socket with a peer takes nothing from anyone else. */
  receive(datagram: Datagram): void {
    const { queue } = this
    const isStranger = this.remote !== undefined && !datagram.source.equals(this.remote)
    if (isStranger || queue.length >= this.network.options.queueLength) {
      return
    }
    let index = queue.length
    while (index > 0 && queue[index - 1]!.dueNs > datagram.dueNs) {
      index--
    }
    queue.splice(index, 0, datagram)
  }

  poll(handler: DatagramHandler, limit: number): number {
    const nowNs = this.network.options.nanoTime()
    const { queue } = this
    let count = 0
    while (count < limit && count < queue.length && queue[count]!.dueNs <= nowNs) {
      count++
    }
    let bytes = 0
    for (const datagram of queue.splice(0, count)) {
      bytes += datagram.bytes.length
      handler(frameBuffer(datagram.bytes), 0, datagram.bytes.length, datagram.source)
    }
    return bytes
  }

  close(): void {
    this.network.close(this)
  }

  /** A peer that has moved is followed. */
  private aim(target: SocketAddress): void {
    this.remote &&= target
  }
}

const plain = ({ address, port }: SocketAddress): Address => ({ address, port })
