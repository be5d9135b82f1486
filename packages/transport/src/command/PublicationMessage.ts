/**
 * ADD_PUBLICATION and ADD_EXCLUSIVE_PUBLICATION.
 *
 *     0           8               16         20              24
 *     +-----------+---------------+----------+---------------+-----------
 *     | clientId  | correlationId | streamId | channelLength | channel
 *     +-----------+---------------+----------+---------------+-----------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const STREAM_ID_OFFSET = CorrelatedMessage.LENGTH
const CHANNEL_OFFSET = STREAM_ID_OFFSET + 4
const NAME = "add publication"

export interface PublicationMessage extends CorrelatedMessage.CorrelatedMessage {
  readonly streamId: number
  readonly channel: string
}

/** Writes the message and returns its length. */
export const encode = (buffer: AtomicBuffer, offset: number, message: PublicationMessage): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  buffer.view.setInt32(offset + STREAM_ID_OFFSET, message.streamId, true)
  return LengthPrefixed.putBytes(buffer, offset + CHANNEL_OFFSET, LengthPrefixed.textBytes(message.channel)) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): PublicationMessage => {
  checkLength(NAME, length, CHANNEL_OFFSET + LengthPrefixed.HEADER_LENGTH)
  return {
    ...CorrelatedMessage.decode(buffer, offset, length),
    streamId: buffer.view.getInt32(offset + STREAM_ID_OFFSET, true),
    channel: LengthPrefixed.getText(buffer, offset + CHANNEL_OFFSET, offset + length, NAME)
  }
}
