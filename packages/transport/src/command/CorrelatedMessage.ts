/**
 * The head of each command, and the whole of CLIENT_KEEPALIVE and CLIENT_CLOSE.
 *
 *     0               8               16
 *     +---------------+---------------+
 *     | clientId i64  | correlationId |
 *     +---------------+---------------+
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { checkLength } from "./MalformedMessage.ts"

export const CLIENT_ID_OFFSET = 0
export const CORRELATION_ID_OFFSET = 8
export const LENGTH = 16

export interface CorrelatedMessage {
  readonly clientId: bigint
  readonly correlationId: bigint
}

export const encode = (buffer: AtomicBuffer, offset: number, message: CorrelatedMessage): number => {
  buffer.view.setBigInt64(offset + CLIENT_ID_OFFSET, message.clientId, true)
  buffer.view.setBigInt64(offset + CORRELATION_ID_OFFSET, message.correlationId, true)
  return LENGTH
}

const clientId = (buffer: AtomicBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + CLIENT_ID_OFFSET, true)

export const correlationId = (buffer: AtomicBuffer, offset: number): bigint =>
  buffer.view.getBigInt64(offset + CORRELATION_ID_OFFSET, true)

export const decode = (buffer: AtomicBuffer, offset: number, length: number): CorrelatedMessage => {
  checkLength("client command", length, LENGTH)
  return { clientId: clientId(buffer, offset), correlationId: correlationId(buffer, offset) }
}
