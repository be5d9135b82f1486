/**
 * ON_NEXT_AVAILABLE_SESSION_ID.
 *
 *     0               8           12
 *     +---------------+-----------+
 *     | correlationId | sessionId |
 *     +---------------+-----------+
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { checkLength } from "./MalformedMessage.ts"

const CORRELATION_ID_OFFSET = 0
const SESSION_ID_OFFSET = 8
const LENGTH = 12

export interface NextSessionId {
  readonly correlationId: bigint
  readonly sessionId: number
}

export const encode = (buffer: AtomicBuffer, offset: number, response: NextSessionId): number => {
  buffer.view.setBigInt64(offset + CORRELATION_ID_OFFSET, response.correlationId, true)
  buffer.view.setInt32(offset + SESSION_ID_OFFSET, response.sessionId, true)
  return LENGTH
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): NextSessionId => {
  checkLength("next available session id", length, LENGTH)
  return {
    correlationId: buffer.view.getBigInt64(offset + CORRELATION_ID_OFFSET, true),
    sessionId: buffer.view.getInt32(offset + SESSION_ID_OFFSET, true)
  }
}
