/**
 * A datagram socket of Linux that never blocks: many datagrams a call in both directions (`sendmmsg`, `recvmmsg`), and
 * many datagrams of one length a packet of the kernel where it can (UDP GSO and GRO). What goes over the wire is the
 * same.
 */
import { constants } from "node:os"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import type { DatagramBatch } from "./DatagramBatch.ts"
import * as Errno from "./Errno.ts"
import * as Libc from "./Libc.ts"
import * as Mmsghdr from "./MmsghdrDescriptor.ts"
import { isLinux } from "./Platform.ts"
import * as SockaddrDescriptor from "./SockaddrDescriptor.ts"
import type { InternetAddress } from "./SockaddrDescriptor.ts"

const socket = Libc.declare<[domain: number, type: number, protocol: number], number>(
  "int socket(int domain, int type, int protocol)"
)
const bind = Libc.declare<[fd: number, address: Uint8Array, length: number], number>(
  "int bind(int fd, void *address, unsigned int length)"
)
const connect = Libc.declare<[fd: number, address: Uint8Array, length: number], number>(
  "int connect(int fd, void *address, unsigned int length)"
)
const getsockname = Libc.declare<[fd: number, address: Uint8Array, length: Uint8Array], number>(
  "int getsockname(int fd, void *address, void *length)"
)
const setsockopt = Libc.declare<[fd: number, level: number, name: number, value: Uint8Array, length: number], number>(
  "int setsockopt(int fd, int level, int name, void *value, unsigned int length)"
)
const getsockopt = Libc.declare<
  [fd: number, level: number, name: number, value: Uint8Array, length: Uint8Array],
  number
>("int getsockopt(int fd, int level, int name, void *value, void *length)")
const sendmmsg = Libc.declare<[fd: number, headers: Uint8Array, count: number, flags: number], number>(
  "int sendmmsg(int fd, void *headers, unsigned int count, int flags)"
)
const recvmmsg = Libc.declare<[fd: number, headers: Uint8Array, count: number, flags: number, timeout: null], number>(
  "int recvmmsg(int fd, void *headers, unsigned int count, int flags, void *timeout)"
)
const sendmsg = Libc.declare<[fd: number, header: Uint8Array, flags: number], number>(
  "intptr_t sendmsg(int fd, void *header, int flags)"
)
const recvmsg = Libc.declare<[fd: number, header: Uint8Array, flags: number], number>(
  "intptr_t recvmsg(int fd, void *header, int flags)"
)
const closeDescriptor = Libc.declare<[fd: number], number>("int close(int fd)")

const SOCK_DGRAM = 2
const SOCK_NONBLOCK = 0o4000
const SOCK_CLOEXEC = 0o2000000
const SOL_SOCKET = 1
const SO_SNDBUF = 7
const SO_RCVBUF = 8
const IPPROTO_IPV6 = 41
const IPV6_V6ONLY = 26
const SOL_UDP = 17
const UDP_SEGMENT = 103
const UDP_GRO = 104
const MSG_DONTWAIT = 0x40

/** Datagrams in one packet of the kernel, and their bytes. */
const SEGMENTS_MAX = 64
const SEGMENTED_LENGTH_MAX = 65_000
/** Packets of the kernel a call. */
const PACKETS_MAX = 64
const TWO_POW_32 = 2 ** 32

/**
 * What a socket may use of its kernel. Old kernels and sandboxes lack some of it, which a socket notices by itself at
 * its first use; a test forbids it.
 */
export interface KernelFeatures {
  /** UDP GSO and GRO. */
  readonly segmentation: boolean
  /** `sendmmsg` and `recvmmsg`; without them each packet takes a call. */
  readonly batches: boolean
}

const EVERYTHING: KernelFeatures = { segmentation: true, batches: true }

export interface UdpSocketOptions {
  /** Port 0: the system chooses. */
  readonly local: InternetAddress
  /** The one peer: datagrams of others are not received. */
  readonly remote: InternetAddress | undefined
  /** 0 = the system's. */
  readonly receiveBufferLength: number
  readonly sendBufferLength: number
}

/** A socket that another thread opened and will close, after this one has stopped using it. */
export interface OpenedSocket {
  readonly fd: number
  readonly local: InternetAddress
  readonly receiveBufferLength: number
  readonly sendBufferLength: number
}

const intBytes = (value: number): Uint8Array => new Uint8Array(new Int32Array([value]).buffer)

/** Addresses of buffers that were sent from: asking for one costs more than a send. */
const addresses = new WeakMap<Uint8Array, number>()

const addressOf = (bytes: Uint8Array): number => {
  const known = addresses.get(bytes)
  if (known !== undefined) {
    return known
  }
  const address = Number(Libc.address(bytes))
  addresses.set(bytes, address)
  return address
}

export class UdpSocket {
  readonly fd: number
  readonly local: InternetAddress
  /** What the system gave. */
  readonly receiveBufferLength: number
  readonly sendBufferLength: number
  readonly #headers = new Uint8Array(PACKETS_MAX * Mmsghdr.LENGTH)
  readonly #headerWords = new Uint32Array(this.#headers.buffer)
  readonly #iovecs = new Uint32Array((PACKETS_MAX * Mmsghdr.IOVEC_LENGTH) / 4)
  readonly #controls = new Uint8Array(PACKETS_MAX * Mmsghdr.CMSG_SPACE)
  readonly #controlWords = new Uint32Array(this.#controls.buffer)
  readonly #controlsAddress = Number(Libc.address(this.#controls))
  /** The address that the headers name; for a connected socket none. */
  readonly #name = new Uint8Array(128)
  /** Datagrams in each packet of the call. */
  readonly #packetCounts = new Uint8Array(PACKETS_MAX)
  readonly #oneOffset = new Int32Array(1)
  readonly #oneLength = new Int32Array(1)
  #isSegmenting: boolean
  #isBatching: boolean
  #isClosed = false

  /** Opens a socket, or uses one that is open. */
  constructor(options: UdpSocketOptions | OpenedSocket, features: KernelFeatures = EVERYTHING) {
    Libc.assertAvailable("UdpSocket")
    if (!isLinux) {
      throw new Errno.NativeUnavailable("UdpSocket")
    }
    this.#isSegmenting = features.segmentation
    this.#isBatching = features.batches
    if ("fd" in options) {
      this.fd = options.fd
      this.local = options.local
      this.receiveBufferLength = options.receiveBufferLength
      this.sendBufferLength = options.sendBufferLength
      this.#link()
      return
    }
    const { local, remote } = options
    const family = SockaddrDescriptor.familyOf(local.address)
    this.fd = check(socket()(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket")
    try {
      if (family === SockaddrDescriptor.AF_INET6) {
        this.#set(IPPROTO_IPV6, IPV6_V6ONLY, 1)
      }
      this.#setLength(SO_RCVBUF, options.receiveBufferLength)
      this.#setLength(SO_SNDBUF, options.sendBufferLength)
      // An older kernel hands the datagrams on one by one.
      setsockopt()(this.fd, SOL_UDP, UDP_GRO, intBytes(features.segmentation ? 1 : 0), 4)
      const address = SockaddrDescriptor.encode(local)
      check(bind()(this.fd, address, address.length), "bind")
      if (remote !== undefined) {
        this.connect(remote)
      }
      this.local = this.#localAddress()
      this.receiveBufferLength = this.#getLength(SO_RCVBUF)
      this.sendBufferLength = this.#getLength(SO_SNDBUF)
    } catch (error) {
      this.close()
      throw error
    }
    this.#link()
  }

  /** Whether a receive takes more than one entry at a time. */
  get isBatching(): boolean {
    return this.#isBatching
  }

  /** From now on the peer, to whom is sent and from whom alone is received. */
  connect(remote: InternetAddress): void {
    const address = SockaddrDescriptor.encode(remote)
    check(connect()(this.fd, address, address.length), "connect")
  }

  /** Sends there from now on, whoever the peer is. */
  setTarget(target: InternetAddress): void {
    const address = SockaddrDescriptor.encode(target)
    this.#name.set(address)
    this.#setTarget(addressOf(this.#name), address.length)
  }

  /** Sends one datagram; false when it could not be sent now. */
  send(bytes: Uint8Array, offset: number, length: number): boolean {
    this.#oneOffset[0] = offset
    this.#oneLength[0] = length
    return this.#sendAll(bytes, this.#oneOffset, this.#oneLength, 1) === 1
  }

  /** Sends datagrams that lie in one buffer, in order; returns how many were sent: the first ones. */
  sendMany(buffer: AtomicBuffer, offsets: Int32Array, lengths: Int32Array, count: number): number {
    assertOpen(buffer.state)
    return this.#sendAll(buffer.bytes, offsets, lengths, count)
  }

  /** Takes what has arrived, at most `limit` entries; returns how many. */
  receive(batch: DatagramBatch, limit: number): number {
    batch.reset()
    if (!this.#isBatching) {
      return this.#receiveOne(batch)
    }
    const count = recvmmsg()(this.fd, batch.headers, Math.min(limit, batch.capacity), MSG_DONTWAIT, null)
    if (count >= 0) {
      return count
    }
    const errno = Libc.errno()
    if (isTransient(errno)) {
      return 0
    }
    if (errno !== constants.errno.ENOSYS) {
      throw Errno.fromNumber(errno, "recvmmsg")
    }
    this.#isBatching = false
    return this.#receiveOne(batch)
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true
      closeDescriptor()(this.fd)
    }
  }

  #sendAll(bytes: Uint8Array, offsets: Int32Array, lengths: Int32Array, count: number): number {
    const base = addressOf(bytes)
    let sent = 0
    let isRetry = false
    while (sent < count) {
      const packets = this.#prepare(base, bytes.length, offsets, lengths, sent, count)
      const result = this.#sendPackets(packets)
      if (result > 0) {
        for (let packet = 0; packet < result; packet++) {
          sent += this.#packetCounts[packet]!
        }
        if (result < packets) {
          return sent
        }
        isRetry = false
      } else {
        const errno = Libc.errno()
        const isSegmented = this.#packetCounts[0]! > 1
        if (this.#isBatching && errno === constants.errno.ENOSYS) {
          this.#isBatching = false
          continue
        }
        if (isSegmented && isSegmentingFault(errno)) {
          this.#isSegmenting = false
        } else if (isRetry || !isReportOfEarlier(errno)) {
          return sent
        }
        isRetry = !isSegmented
      }
    }
    return sent
  }

  /** Returns how many packets went, or −1. */
  #sendPackets(packets: number): number {
    if (this.#isBatching) {
      return sendmmsg()(this.fd, this.#headers, packets, MSG_DONTWAIT)
    }
    let sent = 0
    while (sent < packets && sendmsg()(this.fd, this.#headers.subarray(sent * Mmsghdr.LENGTH), MSG_DONTWAIT) >= 0) {
      sent++
    }
    return sent > 0 ? sent : -1
  }

  #receiveOne(batch: DatagramBatch): number {
    const length = recvmsg()(this.fd, batch.headers, MSG_DONTWAIT)
    if (length >= 0) {
      batch.setLength(0, length)
      return 1
    }
    const errno = Libc.errno()
    if (isTransient(errno)) {
      return 0
    }
    throw Errno.fromNumber(errno, "recvmsg")
  }

  /** Fills in the headers for as many datagrams as go into one call; returns the packets. */
  #prepare(
    base: number,
    bufferLength: number,
    offsets: Int32Array,
    lengths: Int32Array,
    first: number,
    count: number
  ): number {
    let packet = 0
    let index = first
    while (index < count && packet < PACKETS_MAX) {
      const start = offsets[index]!
      const segmentLength = lengths[index]!
      let total = segmentLength
      let segments = 1
      if (this.#isSegmenting) {
        // The last of a packet may be shorter, the others have one length and lie one behind the other.
        let next = index + 1
        while (
          next < count &&
          segments < SEGMENTS_MAX &&
          offsets[next] === start + total &&
          lengths[next]! <= segmentLength &&
          total === segments * segmentLength &&
          total + lengths[next]! <= SEGMENTED_LENGTH_MAX
        ) {
          total += lengths[next]!
          segments++
          next++
        }
      }
      if (start < 0 || start + total > bufferLength) {
        throw new RangeError("a datagram reaches outside its buffer, or the buffer was unmapped")
      }
      this.#putPacket(packet, base + start, total, segments > 1 ? segmentLength : 0)
      this.#packetCounts[packet] = segments
      packet++
      index += segments
    }
    return packet
  }

  #putPacket(packet: number, address: number, length: number, segmentLength: number): void {
    const iovec = packet * (Mmsghdr.IOVEC_LENGTH / 4)
    this.#iovecs[iovec] = address % TWO_POW_32
    this.#iovecs[iovec + 1] = Math.floor(address / TWO_POW_32)
    this.#iovecs[iovec + 2] = length
    const header = packet * (Mmsghdr.LENGTH / 4)
    const isSegmented = segmentLength > 0
    const control = isSegmented ? this.#controlsAddress + packet * Mmsghdr.CMSG_SPACE : 0
    this.#headerWords[header + Mmsghdr.CONTROL_OFFSET / 4] = control % TWO_POW_32
    this.#headerWords[header + Mmsghdr.CONTROL_OFFSET / 4 + 1] = Math.floor(control / TWO_POW_32)
    this.#headerWords[header + Mmsghdr.CONTROL_LENGTH_OFFSET / 4] = isSegmented ? Mmsghdr.CMSG_SPACE : 0
    this.#controlWords[(packet * Mmsghdr.CMSG_SPACE + Mmsghdr.CMSG_DATA_OFFSET) / 4] = segmentLength
  }

  /** What never changes in the headers. */
  #link(): void {
    const view = new DataView(this.#headers.buffer)
    const controls = new DataView(this.#controls.buffer)
    const iovecs = Libc.address(new Uint8Array(this.#iovecs.buffer))
    for (let packet = 0; packet < PACKETS_MAX; packet++) {
      const header = packet * Mmsghdr.LENGTH
      view.setBigUint64(header + Mmsghdr.IOVEC_OFFSET, iovecs + BigInt(packet * Mmsghdr.IOVEC_LENGTH), true)
      view.setBigUint64(header + Mmsghdr.IOVEC_COUNT_OFFSET, 1n, true)
      const control = packet * Mmsghdr.CMSG_SPACE
      controls.setUint32(control + Mmsghdr.CMSG_LENGTH_OFFSET, Mmsghdr.CMSG_DATA_OFFSET + 2, true)
      controls.setInt32(control + Mmsghdr.CMSG_LEVEL_OFFSET, SOL_UDP, true)
      controls.setInt32(control + Mmsghdr.CMSG_TYPE_OFFSET, UDP_SEGMENT, true)
    }
  }

  #setTarget(address: number, length: number): void {
    for (let packet = 0; packet < PACKETS_MAX; packet++) {
      const header = packet * (Mmsghdr.LENGTH / 4)
      this.#headerWords[header] = address % TWO_POW_32
      this.#headerWords[header + 1] = Math.floor(address / TWO_POW_32)
      this.#headerWords[header + Mmsghdr.NAME_LENGTH_OFFSET / 4] = length
    }
  }

  #localAddress(): InternetAddress {
    const bytes = new Uint8Array(SockaddrDescriptor.LENGTH_MAX)
    check(getsockname()(this.fd, bytes, intBytes(bytes.length)), "getsockname")
    return SockaddrDescriptor.decode(bytes)
  }

  #set(level: number, name: number, value: number): void {
    check(setsockopt()(this.fd, level, name, intBytes(value), 4), "setsockopt")
  }

  #setLength(name: number, length: number): void {
    if (length > 0) {
      this.#set(SOL_SOCKET, name, length)
    }
  }

  /** Linux counts its own records as well and reports twice what was asked for: as other drivers see it. */
  #getLength(name: number): number {
    const value = new Uint8Array(4)
    check(getsockopt()(this.fd, SOL_SOCKET, name, value, intBytes(4)), "getsockopt")
    return new DataView(value.buffer).getInt32(0, true)
  }
}

/** An error that an earlier datagram met, or nothing to do now. */
const isReportOfEarlier = (errno: number): boolean =>
  errno === constants.errno.ECONNREFUSED || errno === constants.errno.EINTR

/** On receiving there is nothing to be done about what became of what was sent. */
const isTransient = (errno: number): boolean =>
  isReportOfEarlier(errno) ||
  errno === constants.errno.EAGAIN ||
  errno === constants.errno.EHOSTUNREACH ||
  errno === constants.errno.ENETUNREACH

/** The device cannot cut packets up, or they are longer than it takes. */
const isSegmentingFault = (errno: number): boolean =>
  errno === constants.errno.EIO || errno === constants.errno.EINVAL || errno === constants.errno.EMSGSIZE

const check = (result: number, syscall: string): number => {
  if (result < 0) {
    throw Errno.fromNumber(Libc.errno(), syscall)
  }
  return result
}
