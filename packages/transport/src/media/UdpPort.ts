/**
 * The port through which the driver has sockets. Three implementations: the system's calls, Node's datagram sockets, and
 * a simulated network. None of them blocks: what cannot be sent now is counted as not sent.
 */
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import type { SocketAddress } from "../channel/SocketAddress.ts"

/** As it is told from agent to agent. */
export interface Address {
  readonly address: Uint8Array
  readonly port: number
}

/** A socket as another thread can take it over. */
export interface SocketHandle {
  readonly descriptor: number
  readonly local: Address
  readonly remote: Address | undefined
  readonly receiveBufferLength: number
  readonly sendBufferLength: number
}

export interface UdpSocketOptions {
  /** Where to receive. Port 0 = the system chooses. */
  readonly local: SocketAddress
  /** The one peer of the socket; undefined when it receives from anyone. */
  readonly remote: SocketAddress | undefined
  /** 0 = the system's. */
  readonly receiveBufferLength: number
  readonly sendBufferLength: number
}

/** Takes one datagram: `length` bytes of `buffer` from `offset`, valid during the call alone. */
export type DatagramHandler = (buffer: FrameBuffer, offset: number, length: number, source: SocketAddress) => void

export interface UdpSocket {
  readonly localAddress: SocketAddress
  /** For parks that should end when something arrives; undefined where there is none. */
  readonly descriptor: number | undefined
  /** Undefined where only the thread that opened the socket can use it. */
  readonly handle?: SocketHandle | undefined
  /** What the system gave, which may be less than was asked for; 0 = not known. */
  readonly receiveBufferLength: number
  readonly sendBufferLength: number
  /** Sends one datagram. Returns its length, or 0 when it could not be sent now. */
  send(buffer: FrameBuffer, offset: number, length: number, target: SocketAddress): number
  /**
   * Sends `count` datagrams that lie in one buffer, in order. Returns how many were sent: the first ones. Datagrams of
   * one length that follow each other may share one call of the system.
   */
  sendMany(buffer: AtomicBuffer, offsets: Int32Array, lengths: Int32Array, count: number, target: SocketAddress): number
  /** Hands on what has arrived, at most `limit` datagrams; returns the bytes. */
  poll(handler: DatagramHandler, limit: number): number
  close(): void
}

/** A socket could not be opened: the address is taken, is not of this machine, or the system has no room. */
export class UdpSocketError extends Error {
  readonly _tag = "UdpSocketError"
  /** The name of the system's error: `EADDRINUSE`, `EADDRNOTAVAIL`, … */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export interface UdpPort {
  /** Throws `UdpSocketError`. */
  open(options: UdpSocketOptions): UdpSocket
  /** Uses a socket that another thread opened, which also closes it. Undefined where that is not possible. */
  adopt?(handle: SocketHandle): UdpSocket
}
