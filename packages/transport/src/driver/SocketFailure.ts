/** What a client is told when the socket of its channel cannot be opened. */
import type { UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import { PortRangeExhausted } from "../media/PortRange.ts"
import { UdpSocketError } from "../media/UdpPort.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"

/** Clients match the system's own words for an address in use. */
const describe = (error: UdpSocketError, { local, remote }: UdpChannel): string =>
  `${error.code === "EADDRINUSE" ? "Address already in use" : error.message}: ${local.text} ${remote.text}`

export const socketFailure = (error: unknown, udpChannel: UdpChannel): unknown => {
  const { channel } = udpChannel
  if (error instanceof UdpSocketError) {
    return new ControlProtocolError(ErrorCode.GENERIC_ERROR, `${describe(error, udpChannel)} channel=${channel}`)
  }
  return error instanceof PortRangeExhausted
    ? new ControlProtocolError(ErrorCode.GENERIC_ERROR, `${error.message} channel=${channel}`)
    : error
}
