/**
 * REJECT_IMAGE.
 *
 *     0           8               16                   24         32            36
 *     +-----------+---------------+--------------------+----------+-------------+--------
 *     | clientId  | correlationId | imageCorrelationId | position | reasonLength| reason
 *     +-----------+---------------+--------------------+----------+-------------+--------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const IMAGE_CORRELATION_ID_OFFSET = CorrelatedMessage.LENGTH
const POSITION_OFFSET = IMAGE_CORRELATION_ID_OFFSET + 8
const REASON_OFFSET = POSITION_OFFSET + 8
const NAME = "reject image"

/** Longest reason in bytes. */
export const REASON_LENGTH_MAX = 1023

export interface RejectImage extends CorrelatedMessage.CorrelatedMessage {
  readonly imageCorrelationId: bigint
  readonly position: number
  readonly reason: string
}

export const encode = (buffer: AtomicBuffer, offset: number, message: RejectImage): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  buffer.view.setBigInt64(offset + IMAGE_CORRELATION_ID_OFFSET, message.imageCorrelationId, true)
  buffer.view.setBigInt64(offset + POSITION_OFFSET, BigInt(message.position), true)
  return LengthPrefixed.putBytes(buffer, offset + REASON_OFFSET, LengthPrefixed.textBytes(message.reason)) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): RejectImage => {
  checkLength(NAME, length, REASON_OFFSET + LengthPrefixed.HEADER_LENGTH)
  return {
    ...CorrelatedMessage.decode(buffer, offset, length),
    imageCorrelationId: buffer.view.getBigInt64(offset + IMAGE_CORRELATION_ID_OFFSET, true),
    position: Number(buffer.view.getBigInt64(offset + POSITION_OFFSET, true)),
    reason: LengthPrefixed.getText(buffer, offset + REASON_OFFSET, offset + length, NAME)
  }
}
