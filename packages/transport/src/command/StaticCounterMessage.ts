/**
 * ADD_STATIC_COUNTER: a counter that outlives its client, found by type and registration id.
 *
 *     0           8               16               24       28          32          ...
 *     +-----------+---------------+----------------+--------+-----------+-----------+-------------+-------
 *     | clientId  | correlationId | registrationId | typeId | keyLength | key, pad  | labelLength | label
 *     +-----------+---------------+----------------+--------+-----------+-----------+-------------+-------
 */
import { align } from "@millrace/core/kernel/memory/Alignment"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const REGISTRATION_ID_OFFSET = CorrelatedMessage.LENGTH
const TYPE_ID_OFFSET = REGISTRATION_ID_OFFSET + 8
const KEY_OFFSET = TYPE_ID_OFFSET + 4
const NAME = "add static counter"

export interface StaticCounterMessage extends CorrelatedMessage.CorrelatedMessage {
  readonly registrationId: bigint
  readonly typeId: number
  readonly key: Uint8Array
  readonly label: string
}

export const encode = (buffer: AtomicBuffer, offset: number, message: StaticCounterMessage): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  buffer.view.setBigInt64(offset + REGISTRATION_ID_OFFSET, message.registrationId, true)
  buffer.view.setInt32(offset + TYPE_ID_OFFSET, message.typeId, true)
  const keyEnd = LengthPrefixed.putBytes(buffer, offset + KEY_OFFSET, message.key) - offset
  return LengthPrefixed.putBytes(buffer, offset + align(keyEnd, 4), LengthPrefixed.textBytes(message.label)) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): StaticCounterMessage => {
  checkLength(NAME, length, KEY_OFFSET + LengthPrefixed.HEADER_LENGTH)
  const end = offset + length
  const key = LengthPrefixed.getBytes(buffer, offset + KEY_OFFSET, end, NAME)
  const labelOffset = align(KEY_OFFSET + LengthPrefixed.HEADER_LENGTH + key.length, 4)
  return {
    ...CorrelatedMessage.decode(buffer, offset, length),
    registrationId: buffer.view.getBigInt64(offset + REGISTRATION_ID_OFFSET, true),
    typeId: buffer.view.getInt32(offset + TYPE_ID_OFFSET, true),
    key,
    label: LengthPrefixed.getText(buffer, offset + labelOffset, end, NAME)
  }
}
