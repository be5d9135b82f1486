/** What the buffers of a socket must hold, and what a second channel may ask of a socket that is open already. */
import type { UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { UdpSocket } from "../media/UdpPort.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import type { DriverSettings } from "./DriverSettings.ts"

export interface BufferLengths {
  readonly receive: number
  readonly send: number
}

const refuse = (message: string, udpChannel: UdpChannel): ControlProtocolError =>
  new ControlProtocolError(ErrorCode.GENERIC_ERROR, `${message} channel=${udpChannel.channel}`)

/** What the socket of a channel is opened with: the channel's own lengths, else the driver's; 0 is the system's. */
export const asked = ({ fields }: UdpChannel, settings: DriverSettings): BufferLengths => ({
  receive: fields.receiveBufferLength || settings.socketReceiveBufferLength,
  send: fields.sendBufferLength || settings.socketSendBufferLength
})

/** Linux tells twice of what was asked for, because it counts its own bookkeeping; 0 = not known. */
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
