/**
 * GET_NEXT_AVAILABLE_SESSION_ID.
 *
 *     0           8               16         20
 *     +-----------+---------------+----------+
 *     | clientId  | correlationId | streamId |
 *     +-----------+---------------+----------+
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import { checkLength } from "./MalformedMessage.ts"

const STREAM_ID_OFFSET = CorrelatedMessage.LENGTH
const LENGTH = STREAM_ID_OFFSET + 4

export interface NextSessionIdMessage extends CorrelatedMessage.CorrelatedMessage {
  readonly streamId: number
}

export const encode = (buffer: AtomicBuffer, offset: number, message: NextSessionIdMessage): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  buffer.view.setInt32(offset + STREAM_ID_OFFSET, message.streamId, true)
  return LENGTH
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): NextSessionIdMessage => {
  checkLength("get next available session id", length, LENGTH)
  return {
    ...CorrelatedMessage.decode(buffer, offset, length),
    streamId: buffer.view.getInt32(offset + STREAM_ID_OFFSET, true)
  }
}
