/**
 * ON_ERROR.
 *
 *     0                        8          12              16
 *     +------------------------+----------+---------------+---------
 *     | offendingCorrelationId | code i32 | messageLength | message
 *     +------------------------+----------+---------------+---------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const CORRELATION_ID_OFFSET = 0
const CODE_OFFSET = 8
const MESSAGE_OFFSET = 12
const NAME = "error response"

export interface ErrorResponse {
  /** Id of the command; for CHANNEL_ENDPOINT_ERROR the id of a channel status counter. */
  readonly offendingCorrelationId: bigint
  readonly code: number
  readonly message: string
}

export const encode = (buffer: AtomicBuffer, offset: number, response: ErrorResponse): number => {
  buffer.view.setBigInt64(offset + CORRELATION_ID_OFFSET, response.offendingCorrelationId, true)
  buffer.view.setInt32(offset + CODE_OFFSET, response.code, true)
  return LengthPrefixed.putBytes(buffer, offset + MESSAGE_OFFSET, LengthPrefixed.textBytes(response.message)) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): ErrorResponse => {
  checkLength(NAME, length, MESSAGE_OFFSET + LengthPrefixed.HEADER_LENGTH)
  return {
    offendingCorrelationId: buffer.view.getBigInt64(offset + CORRELATION_ID_OFFSET, true),
    code: buffer.view.getInt32(offset + CODE_OFFSET, true),
    message: LengthPrefixed.getText(buffer, offset + MESSAGE_OFFSET, offset + length, NAME)
  }
}
