/**
 * ON_SUBSCRIPTION_READY (the counter is the channel's status), ON_COUNTER_READY, ON_UNAVAILABLE_COUNTER and
 * ON_STATIC_COUNTER: an id and a counter.
 *
 *     0               8           12
 *     +---------------+-----------+
 *     | correlationId | counterId |
 *     +---------------+-----------+
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { checkLength } from "./MalformedMessage.ts"

const CORRELATION_ID_OFFSET = 0
const COUNTER_ID_OFFSET = 8
const LENGTH = 12

export interface CounterUpdate {
  readonly correlationId: bigint
  readonly counterId: number
}

export const encode = (buffer: AtomicBuffer, offset: number, response: CounterUpdate): number => {
  buffer.view.setBigInt64(offset + CORRELATION_ID_OFFSET, response.correlationId, true)
  buffer.view.setInt32(offset + COUNTER_ID_OFFSET, response.counterId, true)
  return LENGTH
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): CounterUpdate => {
  checkLength("counter update", length, LENGTH)
  return {
    correlationId: buffer.view.getBigInt64(offset + CORRELATION_ID_OFFSET, true),
    counterId: buffer.view.getInt32(offset + COUNTER_ID_OFFSET, true)
  }
}
