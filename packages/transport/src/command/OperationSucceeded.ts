/**
 * ON_OPERATION_SUCCESS, and ON_CLIENT_TIMEOUT, whose one field is the client id.
 *
 *     0               8
 *     +---------------+
 *     | correlationId |
 *     +---------------+
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { checkLength } from "./MalformedMessage.ts"

const CORRELATION_ID_OFFSET = 0
const LENGTH = 8

export const encode = (buffer: AtomicBuffer, offset: number, correlationId: bigint): number => {
  buffer.view.setBigInt64(offset + CORRELATION_ID_OFFSET, correlationId, true)
  return LENGTH
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): bigint => {
  checkLength("operation success", length, LENGTH)
  return buffer.view.getBigInt64(offset + CORRELATION_ID_OFFSET, true)
}
