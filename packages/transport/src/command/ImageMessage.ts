/**
 * ON_UNAVAILABLE_IMAGE.
 *
 *     0               8                            16         20              24
 *     +---------------+----------------------------+----------+---------------+---------
 *     | correlationId | subscriptionRegistrationId | streamId | channelLength | channel
 *     +---------------+----------------------------+----------+---------------+---------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const CORRELATION_ID_OFFSET = 0
const SUBSCRIPTION_REGISTRATION_ID_OFFSET = 8
const STREAM_ID_OFFSET = 16
const CHANNEL_OFFSET = 20
const NAME = "unavailable image"

export interface ImageMessage {
  readonly correlationId: bigint
  readonly subscriptionRegistrationId: bigint
  readonly streamId: number
  readonly channel: string
}

export const encode = (buffer: AtomicBuffer, offset: number, response: ImageMessage): number => {
  const view = buffer.view
  view.setBigInt64(offset + CORRELATION_ID_OFFSET, response.correlationId, true)
  view.setBigInt64(offset + SUBSCRIPTION_REGISTRATION_ID_OFFSET, response.subscriptionRegistrationId, true)
  view.setInt32(offset + STREAM_ID_OFFSET, response.streamId, true)
  return LengthPrefixed.putBytes(buffer, offset + CHANNEL_OFFSET, LengthPrefixed.textBytes(response.channel)) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): ImageMessage => {
  checkLength(NAME, length, CHANNEL_OFFSET + LengthPrefixed.HEADER_LENGTH)
  const view = buffer.view
  return {
    correlationId: view.getBigInt64(offset + CORRELATION_ID_OFFSET, true),
    subscriptionRegistrationId: view.getBigInt64(offset + SUBSCRIPTION_REGISTRATION_ID_OFFSET, true),
    streamId: view.getInt32(offset + STREAM_ID_OFFSET, true),
    channel: LengthPrefixed.getText(buffer, offset + CHANNEL_OFFSET, offset + length, NAME)
  }
}
