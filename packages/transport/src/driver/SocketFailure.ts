/** What a client is told when the socket of its channel cannot be opened. */
import type { UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import { UdpSocketError } from "../media/UdpPort.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"

/** Clients match the system's own words for an address in use. */
export const socketFailure = (error: unknown, udpChannel: UdpChannel): unknown =>
  error instanceof UdpSocketError
    ? new ControlProtocolError(
        ErrorCode.GENERIC_ERROR,
        `${error.code === "EADDRINUSE" ? "Address already in use" : error.message}: ` +
          `${udpChannel.local.text} ${udpChannel.remote.text} channel=${udpChannel.channel}`
      )
    : error
