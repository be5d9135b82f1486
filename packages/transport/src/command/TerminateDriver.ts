/**
 * TERMINATE_DRIVER. The token is for the driver's termination validator.
 *
 *     0           8               16            20
 *     +-----------+---------------+-------------+-------
 *     | clientId  | correlationId | tokenLength | token
 *     +-----------+---------------+-------------+-------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import * as LengthPrefixed from "./LengthPrefixed.ts"

const TOKEN_OFFSET = CorrelatedMessage.LENGTH

export interface TerminateDriver extends CorrelatedMessage.CorrelatedMessage {
  readonly token: Uint8Array
}

export const encode = (buffer: AtomicBuffer, offset: number, message: TerminateDriver): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  return LengthPrefixed.putBytes(buffer, offset + TOKEN_OFFSET, message.token) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): TerminateDriver => ({
  ...CorrelatedMessage.decode(buffer, offset, length),
  token: LengthPrefixed.getBytes(buffer, offset + TOKEN_OFFSET, offset + length, "terminate driver")
})
