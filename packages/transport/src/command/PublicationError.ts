/**
 * ON_PUBLICATION_ERROR: a receiver (or, over IPC, a subscriber) refused the stream of a publication.
 *
 *     0                8                           16          20         24           32             40
 *     +----------------+---------------------------+-----------+----------+------------+--------------+
 *     | registrationId | destinationRegistrationId | sessionId | streamId | receiverId | groupTag i64 |
 *     +----------------+---------------------------+-----------+----------+------------+--------------+
 *     40                42         44               60         64              68
 *     +-----------------+----------+----------------+----------+---------------+---------
 *     | addressType i16 | port u16 | address 16 B   | code i32 | messageLength | message
 *     +-----------------+----------+----------------+----------+---------------+---------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const REGISTRATION_ID_OFFSET = 0
const DESTINATION_REGISTRATION_ID_OFFSET = 8
const SESSION_ID_OFFSET = 16
const STREAM_ID_OFFSET = 20
const RECEIVER_ID_OFFSET = 24
const GROUP_TAG_OFFSET = 32
const ADDRESS_TYPE_OFFSET = 40
const PORT_OFFSET = 42
const ADDRESS_OFFSET = 44
const CODE_OFFSET = 60
const MESSAGE_OFFSET = 64
const ADDRESS_LENGTH_MAX = 16
const ADDRESS_TYPE_IPV4 = 1
const ADDRESS_TYPE_IPV6 = 2
const NAME = "publication error"

export interface PublicationError {
  readonly registrationId: bigint
  readonly destinationRegistrationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly receiverId: bigint
  readonly groupTag: bigint
  /** 4 or 16 bytes. */
  readonly address: Uint8Array
  readonly port: number
  readonly code: number
  readonly message: string
}

export const encode = (buffer: AtomicBuffer, offset: number, response: PublicationError): number => {
  const view = buffer.view
  view.setBigInt64(offset + REGISTRATION_ID_OFFSET, response.registrationId, true)
  view.setBigInt64(offset + DESTINATION_REGISTRATION_ID_OFFSET, response.destinationRegistrationId, true)
  view.setInt32(offset + SESSION_ID_OFFSET, response.sessionId, true)
  view.setInt32(offset + STREAM_ID_OFFSET, response.streamId, true)
  view.setBigInt64(offset + RECEIVER_ID_OFFSET, response.receiverId, true)
  view.setBigInt64(offset + GROUP_TAG_OFFSET, response.groupTag, true)
  const type = response.address.length === ADDRESS_LENGTH_MAX ? ADDRESS_TYPE_IPV6 : ADDRESS_TYPE_IPV4
  view.setInt16(offset + ADDRESS_TYPE_OFFSET, type, true)
  view.setUint16(offset + PORT_OFFSET, response.port, true)
  buffer.bytes.fill(0, offset + ADDRESS_OFFSET, offset + CODE_OFFSET)
  buffer.bytes.set(response.address, offset + ADDRESS_OFFSET)
  view.setInt32(offset + CODE_OFFSET, response.code, true)
  return LengthPrefixed.putBytes(buffer, offset + MESSAGE_OFFSET, LengthPrefixed.textBytes(response.message)) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): PublicationError => {
  checkLength(NAME, length, MESSAGE_OFFSET + LengthPrefixed.HEADER_LENGTH)
  const view = buffer.view
  const isIpv6 = view.getInt16(offset + ADDRESS_TYPE_OFFSET, true) === ADDRESS_TYPE_IPV6
  const addressAt = offset + ADDRESS_OFFSET
  return {
    registrationId: view.getBigInt64(offset + REGISTRATION_ID_OFFSET, true),
    destinationRegistrationId: view.getBigInt64(offset + DESTINATION_REGISTRATION_ID_OFFSET, true),
    sessionId: view.getInt32(offset + SESSION_ID_OFFSET, true),
    streamId: view.getInt32(offset + STREAM_ID_OFFSET, true),
    receiverId: view.getBigInt64(offset + RECEIVER_ID_OFFSET, true),
    groupTag: view.getBigInt64(offset + GROUP_TAG_OFFSET, true),
    address: buffer.bytes.slice(addressAt, addressAt + (isIpv6 ? ADDRESS_LENGTH_MAX : 4)),
    port: view.getUint16(offset + PORT_OFFSET, true),
    code: view.getInt32(offset + CODE_OFFSET, true),
    message: LengthPrefixed.getText(buffer, offset + MESSAGE_OFFSET, offset + length, NAME)
  }
}
