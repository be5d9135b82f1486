/**
 * REMOVE_DESTINATION_BY_ID.
 *
 *     0           8               16                       24                          32
 *     +-----------+---------------+------------------------+---------------------------+
 *     | clientId  | correlationId | resourceRegistrationId | destinationRegistrationId |
 *     +-----------+---------------+------------------------+---------------------------+
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import { checkLength } from "./MalformedMessage.ts"

const RESOURCE_REGISTRATION_ID_OFFSET = CorrelatedMessage.LENGTH
const DESTINATION_REGISTRATION_ID_OFFSET = RESOURCE_REGISTRATION_ID_OFFSET + 8
const LENGTH = DESTINATION_REGISTRATION_ID_OFFSET + 8

export interface DestinationByIdMessage extends CorrelatedMessage.CorrelatedMessage {
  readonly resourceRegistrationId: bigint
  readonly destinationRegistrationId: bigint
}

export const encode = (buffer: AtomicBuffer, offset: number, message: DestinationByIdMessage): number => {
  CorrelatedMessage.encode(buffer, offset, message)
  buffer.view.setBigInt64(offset + RESOURCE_REGISTRATION_ID_OFFSET, message.resourceRegistrationId, true)
  buffer.view.setBigInt64(offset + DESTINATION_REGISTRATION_ID_OFFSET, message.destinationRegistrationId, true)
  return LENGTH
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): DestinationByIdMessage => {
  checkLength("remove destination by id", length, LENGTH)
  return {
    ...CorrelatedMessage.decode(buffer, offset, length),
    resourceRegistrationId: buffer.view.getBigInt64(offset + RESOURCE_REGISTRATION_ID_OFFSET, true),
    destinationRegistrationId: buffer.view.getBigInt64(offset + DESTINATION_REGISTRATION_ID_OFFSET, true)
  }
}
