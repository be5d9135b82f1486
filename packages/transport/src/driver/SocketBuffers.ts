/**
 * What the buffers of a socket must hold, what a second channel may ask of a socket that is open already, and what logs
 * say of both.
 */
import type { LogBufferMetadata } from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import { any } from "../channel/SocketAddress.ts"
import type { UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import { type UdpPort, type UdpSocket, UdpSocketError } from "../media/UdpPort.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import type { DriverSettings } from "./DriverSettings.ts"

export interface BufferLengths {
  readonly receive: number
  readonly send: number
}

const refuse = (message: string, udpChannel: UdpChannel): ControlProtocolError =>
  new ControlProtocolError(ErrorCode.GENERIC_ERROR, `${message} channel=${udpChannel.channel}`)

/** Of a log without a socket, and of a system that does not tell. */
export const NONE: BufferLengths = { receive: 0, send: 0 }

/** What the system gives a socket that asks for nothing, and one that asks for all that there is. */
export interface SystemLengths {
  readonly default: BufferLengths
  readonly max: BufferLengths
}

export const UNKNOWN: SystemLengths = { default: NONE, max: NONE }

const LENGTH_MAX = 2 ** 31 - 1
/** Every system has that much. */
const LENGTH_SMALL = 8192

/** Linux tells twice of what was asked for, because it counts its own bookkeeping. */
const COUNTS_TWICE = 2

/** As sockets of this port show it, in lengths that one could ask for. */
export const systemLengths = (udp: UdpPort): SystemLengths => {
  const given = (length: number): BufferLengths => {
    const lengths = { receiveBufferLength: length, sendBufferLength: length }
    const socket = udp.open({ local: any(4), remote: undefined, ...lengths })
    socket.close()
    return { receive: socket.receiveBufferLength, send: socket.sendBufferLength }
  }
  try {
    const small = given(LENGTH_SMALL)
    const part = (name: keyof BufferLengths, length: number): number =>
      small[name] === COUNTS_TWICE * LENGTH_SMALL ? Math.floor(length / COUNTS_TWICE) : length
    const asOne = ({ receive, send }: BufferLengths): BufferLengths => ({
      receive: part("receive", receive),
      send: part("send", send)
    })
    return { default: asOne(given(0)), max: asOne(given(LENGTH_MAX)) }
  } catch (error) {
    if (error instanceof UdpSocketError) {
      // Whoever asks for a socket is told why there is none.
      return UNKNOWN
    }
    throw error
  }
}

/** Of the metadata of a log. */
export type LogFields = Pick<
  LogBufferMetadata,
  | "socketSndbufLength"
  | "osDefaultSocketSndbufLength"
  | "osMaxSocketSndbufLength"
  | "socketRcvbufLength"
  | "osDefaultSocketRcvbufLength"
  | "osMaxSocketRcvbufLength"
>

/** A log says what its socket was asked for, not what the system made of that. */
export const logFields = (asked: BufferLengths, system: SystemLengths): LogFields => ({
  socketSndbufLength: asked.send,
  osDefaultSocketSndbufLength: system.default.send,
  osMaxSocketSndbufLength: system.max.send,
  socketRcvbufLength: asked.receive,
  osDefaultSocketRcvbufLength: system.default.receive,
  osMaxSocketRcvbufLength: system.max.receive
})

/** What the socket of a channel is opened with: the channel's own lengths, else the driver's; 0 is the system's. */
export const asked = ({ fields }: UdpChannel, settings: DriverSettings): BufferLengths => ({
  receive: fields.receiveBufferLength || settings.socketReceiveBufferLength,
  send: fields.sendBufferLength || settings.socketSendBufferLength
})

/** What was asked for, where the system counts twice; 0 = not known. */
const usableOf = (asked: number, given: number): number => (asked > 0 && given > 0 ? Math.min(asked, given) : given)

/** What of the buffers holds datagrams. */
export const usable = (asked: BufferLengths, socket: UdpSocket): BufferLengths => ({
  receive: usableOf(asked.receive, socket.receiveBufferLength),
  send: usableOf(asked.send, socket.sendBufferLength)
})

/** Channels of one socket have one length of its buffers; one that does not name it takes what there is. */
export const confirmMatch = (requested: UdpChannel, existing: UdpChannel, opened: BufferLengths): void => {
  for (const [parameter, has, wants] of [
    ["so-rcvbuf", opened.receive, requested.fields.receiveBufferLength],
    ["so-sndbuf", opened.send, requested.fields.sendBufferLength]
  ] as const) {
    if (wants !== 0 && has !== wants) {
      const value = has === 0 ? "OS default" : has
      const message = `${parameter}=${wants} does not match existing value of ${value}: existingChannel=${existing.channel}`
      throw new ControlProtocolError(ErrorCode.INVALID_CHANNEL, `${message} channel=${requested.channel}`)
    }
  }
}

/** A datagram is sent whole. */
export const checkMtu = (udpChannel: UdpChannel, mtuLength: number, { send }: BufferLengths): void => {
  if (send > 0 && mtuLength > send) {
    throw refuse(`MTU greater than SO_SNDBUF for channel: mtu=${mtuLength} so-sndbuf=${send}`, udpChannel)
  }
}

/** A sender may fill the window at once. */
export const checkWindow = (udpChannel: UdpChannel, windowLength: number, { receive }: BufferLengths): void => {
  if (receive > 0 && windowLength > receive) {
    const lengths = `rcv-wnd=${windowLength} so-rcvbuf=${receive}`
    throw refuse(`Initial window greater than SO_RCVBUF for channel: ${lengths}`, udpChannel)
  }
}
