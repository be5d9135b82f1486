/** Sockets by the system's calls: Linux alone. */
import { DatagramBatch } from "@millrace/core/kernel/native/DatagramBatch"
import { NativeError } from "@millrace/core/kernel/native/Errno"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as Native from "@millrace/core/kernel/native/UdpSocket"
import { SocketAddress } from "../channel/SocketAddress.ts"
import type { UdpFaults } from "./udpFaults.ts"
import {
  type Address,
  type DatagramHandler,
  type SocketHandle,
  type UdpPort,
  type UdpSocket,
  UdpSocketError,
  type UdpSocketOptions
} from "../media/UdpPort.ts"

/** Entries that one call takes; with GRO each may hold many datagrams. */
const BATCH_CAPACITY = 32
/** Senders that are remembered, so that an address is not made anew for every datagram. */
const SOURCES_MAX = 1024
const NAME_LENGTH = 28

export const make = (faults: UdpFaults, features?: Native.KernelFeatures): UdpPort => {
  // Sockets of one thread take turns, so they share the room for what arrives.
  const batch = new DatagramBatch(BATCH_CAPACITY)
  return {
    open: (options) => openSocket(options, batch, faults, features),
    adopt: ({ descriptor, local, receiveBufferLength, remote, sendBufferLength }) =>
      new NativeUdpSocket(
        new Native.UdpSocket({ fd: descriptor, local, receiveBufferLength, sendBufferLength }, features),
        remote === undefined ? undefined : new SocketAddress(remote.address, remote.port),
        batch,
        faults
      )
  }
}

const openSocket = (
  options: UdpSocketOptions,
  batch: DatagramBatch,
  faults: UdpFaults,
  features: Native.KernelFeatures | undefined
): UdpSocket => {
  try {
    return new NativeUdpSocket(new Native.UdpSocket(options, features), options.remote, batch, faults)
  } catch (error) {
    throw error instanceof NativeError ? new UdpSocketError(error.code, describe(error, options)) : error
  }
}

const describe = (error: NativeError, { local, receiveBufferLength, sendBufferLength }: UdpSocketOptions): string => {
  switch (error.code) {
    case "EADDRNOTAVAIL":
      return `Cannot assign requested address: ${local.host} is not an address of this machine`
    case "EACCES":
      return `Permission denied: port ${local.port} is for privileged processes, choose one above 1023`
    case "EINVAL":
      return `${error.message} (receive buffer ${receiveBufferLength}, send buffer ${sendBufferLength})`
    default:
      return error.message
  }
}

class NativeUdpSocket implements UdpSocket {
  readonly localAddress: SocketAddress
  readonly descriptor: number
  readonly receiveBufferLength: number
  readonly sendBufferLength: number
  private readonly socket: Native.UdpSocket
  private readonly batch: DatagramBatch
  private readonly frames: FrameBuffer
  private readonly sources: Sources
  private readonly faults: UdpFaults
  /** The peer, when there is one. */
  private remote: SocketAddress | undefined
  private target: SocketAddress | undefined = undefined
  /** Where the peer has moved to, if that cannot be reached from here. */
  private unreachable: SocketAddress | undefined = undefined

  constructor(socket: Native.UdpSocket, remote: SocketAddress | undefined, batch: DatagramBatch, faults: UdpFaults) {
    this.faults = faults
    this.socket = socket
    this.localAddress = new SocketAddress(this.socket.local.address, this.socket.local.port)
    this.descriptor = this.socket.fd
    this.receiveBufferLength = this.socket.receiveBufferLength
    this.sendBufferLength = this.socket.sendBufferLength
    this.batch = batch
    this.frames = batch
    this.sources = new Sources(batch)
    this.remote = remote
  }

  get handle(): SocketHandle {
    const { descriptor, localAddress: local, receiveBufferLength, remote, sendBufferLength } = this
    return { descriptor, local: plain(local), remote: remote && plain(remote), receiveBufferLength, sendBufferLength }
  }

  send(buffer: FrameBuffer, offset: number, length: number, target: SocketAddress): number {
    return this.aim(target) && this.socket.send(buffer.bytes, offset, length) ? length : 0
  }

  sendMany(
    buffer: AtomicBuffer,
    offsets: Int32Array,
    lengths: Int32Array,
    count: number,
    target: SocketAddress
  ): number {
    return this.aim(target) ? this.socket.sendMany(buffer, offsets, lengths, count) : 0
  }

  poll(handler: DatagramHandler, limit: number): number {
    const { batch, frames } = this
    let datagrams = 0
    let bytes = 0
    while (datagrams < limit) {
      const entries = this.socket.receive(batch, BATCH_CAPACITY)
      for (let entry = 0; entry < entries; entry++) {
        if (batch.isTruncatedAt(entry)) {
          this.faults.onDropped()
          continue
        }
        const source = this.sources.at(entry)
        const start = batch.offsetAt(entry)
        const length = batch.lengthAt(entry)
        const segmentLength = batch.segmentLengthAt(entry)
        // An empty datagram is one, too.
        let passed = 0
        do {
          const segment = Math.min(segmentLength, length - passed)
          handler(frames, start + passed, segment, source)
          passed += segmentLength
          datagrams++
        } while (passed < length)
        bytes += length
      }
      if (entries < (this.socket.isBatching ? BATCH_CAPACITY : 1)) {
        break
      }
    }
    return bytes
  }

  close(): void {
    this.socket.close()
  }

  /** A socket with a peer sends to it alone: when the peer has moved, it goes along. False when there is no way. */
  private aim(target: SocketAddress): boolean {
    if (target === this.target) {
      return true
    }
    if (this.remote === undefined) {
      this.socket.setTarget(target)
    } else if (!target.equals(this.remote)) {
      if (!this.connect(target)) {
        return false
      }
      this.remote = target
    }
    this.target = target
    return true
  }

  /** Tried again by each send, since a way may appear; what keeps it from succeeding is told once. */
  private connect(target: SocketAddress): boolean {
    try {
      this.socket.connect(target)
      this.unreachable = undefined
      return true
    } catch (error) {
      if (!(error instanceof NativeError)) {
        throw error
      }
      if (this.unreachable !== target) {
        this.unreachable = target
        const text = `UDP socket on ${this.localAddress.text}: nothing can be sent to ${target.text}: ${error.message}`
        this.faults.onError(new Error(text, { cause: error }))
      }
      return false
    }
  }
}

const plain = ({ address, port }: SocketAddress): Address => ({ address, port })

/** The senders of what lies in a batch. Datagrams that follow each other mostly have the same. */
class Sources {
  private readonly batch: DatagramBatch
  private readonly lastName = new Uint8Array(NAME_LENGTH)
  private last: SocketAddress | undefined = undefined
  private readonly known = new Map<string, SocketAddress>()

  constructor(batch: DatagramBatch) {
    this.batch = batch
  }

  at(entry: number): SocketAddress {
    const { batch, lastName } = this
    const offset = batch.nameOffsetAt(entry)
    if (this.last !== undefined && isSame(batch.names, offset, lastName)) {
      return this.last
    }
    const { address, port } = batch.sourceAt(entry)
    const made = new SocketAddress(address, port)
    const source = this.known.get(made.text) ?? this.remember(made)
    lastName.set(batch.names.subarray(offset, offset + NAME_LENGTH))
    this.last = source
    return source
  }

  private remember(source: SocketAddress): SocketAddress {
    if (this.known.size >= SOURCES_MAX) {
      this.known.clear()
    }
    this.known.set(source.text, source)
    return source
  }
}

const isSame = (names: Uint8Array, offset: number, name: Uint8Array): boolean => {
  for (let i = 0; i < NAME_LENGTH; i++) {
    if (names[offset + i] !== name[i]) {
      return false
    }
  }
  return true
}
