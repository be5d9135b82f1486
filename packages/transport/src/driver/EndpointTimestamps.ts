/** Channels of one endpoint have the time at one place in their messages, or have none. */
import type { RECEIVE_TIMESTAMP_OFFSET, SEND_TIMESTAMP_OFFSET, UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"

type Parameter = typeof RECEIVE_TIMESTAMP_OFFSET | typeof SEND_TIMESTAMP_OFFSET

const offsetOf = ({ fields }: UdpChannel, parameter: Parameter): number =>
  parameter === "channel-snd-ts-offset" ? fields.sendTimestampOffset : fields.receiveTimestampOffset

export const confirmTimestamps = (requested: UdpChannel, existing: UdpChannel, parameter: Parameter): void => {
  const wants = offsetOf(requested, parameter)
  if (offsetOf(existing, parameter) !== wants) {
    const message = `option conflicts with existing ${endpointOf(parameter)}: ${parameter}=${requested.uri.get(parameter) ?? "none"}`
    const channels = `existingChannel=${existing.channel} channel=${requested.channel}`
    throw new ControlProtocolError(ErrorCode.INVALID_CHANNEL, `${message} ${channels}`)
  }
}

const endpointOf = (parameter: Parameter): string =>
  parameter === "channel-snd-ts-offset" ? "publication" : "subscription"
