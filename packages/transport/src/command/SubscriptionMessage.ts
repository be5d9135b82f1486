/**
 * ADD_SUBSCRIPTION. The registration correlation id is of an older protocol: −1 is written, nothing reads it.
 *
 *     0           8               16                          24         28              32
 *     +-----------+---------------+---------------------------+----------+---------------+---------
 *     | clientId  | correlationId | registrationCorrelationId | streamId | channelLength | channel
 *     +-----------+---------------+---------------------------+----------+---------------+---------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const REGISTRATION_CORRELATION_ID_OFFSET = CorrelatedMessage.LENGTH
const STREAM_ID_OFFSET = REGISTRATION_CORRELATION_ID_OFFSET + 8
const CHANNEL_OFFSET = STREAM_ID_OFFSET + 4
const NAME = "add subscription"

export interface SubscriptionMessage extends CorrelatedMessage.CorrelatedMessage {
  readonly streamId: number
  readonly channel: string
}

export const encode = (buffer: AtomicBuffer, offset: number, message: SubscriptionMessage): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  buffer.view.setBigInt64(offset + REGISTRATION_CORRELATION_ID_OFFSET, -1n, true)
  buffer.view.setInt32(offset + STREAM_ID_OFFSET, message.streamId, true)
  return LengthPrefixed.putBytes(buffer, offset + CHANNEL_OFFSET, LengthPrefixed.textBytes(message.channel)) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): SubscriptionMessage => {
  checkLength(NAME, length, CHANNEL_OFFSET + LengthPrefixed.HEADER_LENGTH)
  return {
    ...CorrelatedMessage.decode(buffer, offset, length),
    streamId: buffer.view.getInt32(offset + STREAM_ID_OFFSET, true),
    channel: LengthPrefixed.getText(buffer, offset + CHANNEL_OFFSET, offset + length, NAME)
  }
}
