/**
 * ADD_DESTINATION, REMOVE_DESTINATION, ADD_RCV_DESTINATION and REMOVE_RCV_DESTINATION.
 *
 *     0           8               16               24              28
 *     +-----------+---------------+----------------+---------------+---------
 *     | clientId  | correlationId | registrationId | channelLength | channel
 *     +-----------+---------------+----------------+---------------+---------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const REGISTRATION_ID_OFFSET = CorrelatedMessage.LENGTH
const CHANNEL_OFFSET = REGISTRATION_ID_OFFSET + 8
const NAME = "destination command"

export interface DestinationMessage extends CorrelatedMessage.CorrelatedMessage {
  readonly registrationId: bigint
  readonly channel: string
}

export const encode = (buffer: AtomicBuffer, offset: number, message: DestinationMessage): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  buffer.view.setBigInt64(offset + REGISTRATION_ID_OFFSET, message.registrationId, true)
  return LengthPrefixed.putBytes(buffer, offset + CHANNEL_OFFSET, LengthPrefixed.textBytes(message.channel)) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): DestinationMessage => {
  checkLength(NAME, length, CHANNEL_OFFSET + LengthPrefixed.HEADER_LENGTH)
  return {
    ...CorrelatedMessage.decode(buffer, offset, length),
    registrationId: buffer.view.getBigInt64(offset + REGISTRATION_ID_OFFSET, true),
    channel: LengthPrefixed.getText(buffer, offset + CHANNEL_OFFSET, offset + length, NAME)
  }
}
