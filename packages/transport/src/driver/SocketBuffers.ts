/** What the buffers of a socket must hold, and what a second channel may ask of a socket that is open already. */
import type { UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"

const refuse = (message: string, udpChannel: UdpChannel): ControlProtocolError =>
  new ControlProtocolError(ErrorCode.GENERIC_ERROR, `${message} channel=${udpChannel.channel}`)

/** Channels of one socket have one length of its buffers; one that does not name it takes what there is. */
export const confirmMatch = (requested: UdpChannel, existing: UdpChannel): void => {
  for (const [parameter, has, wants] of [
    ["so-rcvbuf", existing.fields.receiveBufferLength, requested.fields.receiveBufferLength],
    ["so-sndbuf", existing.fields.sendBufferLength, requested.fields.sendBufferLength]
  ] as const) {
    if (wants !== 0 && has !== wants) {
      const value = has === 0 ? "OS default" : has
      const message = `${parameter}=${wants} does not match existing value of ${value}: existingChannel=${existing.channel}`
      throw new ControlProtocolError(ErrorCode.INVALID_CHANNEL, `${message} channel=${requested.channel}`)
    }
  }
}

/** `sendBufferLength` is what the system gave, 0 = not known. */
export const checkMtu = (udpChannel: UdpChannel, mtuLength: number, sendBufferLength: number): void => {
  if (sendBufferLength > 0 && mtuLength > sendBufferLength) {
    throw refuse(`MTU greater than SO_SNDBUF for channel: mtu=${mtuLength} so-sndbuf=${sendBufferLength}`, udpChannel)
  }
}

/** A sender may fill the window at once. */
export const checkWindow = (udpChannel: UdpChannel, windowLength: number, receiveBufferLength: number): void => {
  if (receiveBufferLength > 0 && windowLength > receiveBufferLength) {
    const lengths = `rcv-wnd=${windowLength} so-rcvbuf=${receiveBufferLength}`
    throw refuse(`Initial window greater than SO_RCVBUF for channel: ${lengths}`, udpChannel)
  }
}
