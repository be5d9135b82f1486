/**
 * REMOVE_SUBSCRIPTION and REMOVE_COUNTER.
 *
 *     0           8               16               24
 *     +-----------+---------------+----------------+
 *     | clientId  | correlationId | registrationId |
 *     +-----------+---------------+----------------+
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import { checkLength } from "./MalformedMessage.ts"

const REGISTRATION_ID_OFFSET = CorrelatedMessage.LENGTH
const LENGTH = REGISTRATION_ID_OFFSET + 8

export interface RemoveMessage extends CorrelatedMessage.CorrelatedMessage {
  readonly registrationId: bigint
}

export const encode = (buffer: AtomicBuffer, offset: number, message: RemoveMessage): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  buffer.view.setBigInt64(offset + REGISTRATION_ID_OFFSET, message.registrationId, true)
  return LENGTH
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): RemoveMessage => {
  checkLength("remove command", length, LENGTH)
  return {
    ...CorrelatedMessage.decode(buffer, offset, length),
    registrationId: buffer.view.getBigInt64(offset + REGISTRATION_ID_OFFSET, true)
  }
}
