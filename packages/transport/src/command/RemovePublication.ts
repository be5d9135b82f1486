/**
 * REMOVE_PUBLICATION. Clients before the flags were added end at 24: then no flag is set. The driver must go by the
 * length, for the bytes behind a short record belong to the next one.
 *
 *     0           8               16               24          32
 *     +-----------+---------------+----------------+-----------+
 *     | clientId  | correlationId | registrationId | flags i64 |
 *     +-----------+---------------+----------------+-----------+
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import { checkLength } from "./MalformedMessage.ts"

const REGISTRATION_ID_OFFSET = CorrelatedMessage.LENGTH
const FLAGS_OFFSET = REGISTRATION_ID_OFFSET + 8
const LENGTH = FLAGS_OFFSET + 8
const FLAG_REVOKE = 1n

export interface RemovePublication extends CorrelatedMessage.CorrelatedMessage {
  readonly registrationId: bigint
  readonly revoke: boolean
}

export const encode = (buffer: AtomicBuffer, offset: number, message: RemovePublication): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  buffer.view.setBigInt64(offset + REGISTRATION_ID_OFFSET, message.registrationId, true)
  buffer.view.setBigInt64(offset + FLAGS_OFFSET, message.revoke ? FLAG_REVOKE : 0n, true)
  return LENGTH
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): RemovePublication => {
  checkLength("remove publication", length, FLAGS_OFFSET)
  const flags = length >= LENGTH ? buffer.view.getBigInt64(offset + FLAGS_OFFSET, true) : 0n
  return {
    ...CorrelatedMessage.decode(buffer, offset, length),
    registrationId: buffer.view.getBigInt64(offset + REGISTRATION_ID_OFFSET, true),
    revoke: (flags & FLAG_REVOKE) !== 0n
  }
}
