/**
 * ON_PUBLICATION_READY and ON_EXCLUSIVE_PUBLICATION_READY. A client that shares a publication gets the registration id
 * of the first one.
 *
 *     0               8                16          20         24               28              32           36
 *     +---------------+----------------+-----------+----------+----------------+---------------+------------+--------
 *     | correlationId | registrationId | sessionId | streamId | limitCounterId | statusCounter | fileLength | logFile
 *     +---------------+----------------+-----------+----------+----------------+---------------+------------+--------
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const CORRELATION_ID_OFFSET = 0
const REGISTRATION_ID_OFFSET = 8
const SESSION_ID_OFFSET = 16
const STREAM_ID_OFFSET = 20
const PUBLISHER_LIMIT_ID_OFFSET = 24
const CHANNEL_STATUS_ID_OFFSET = 28
const LOG_FILE_OFFSET = 32
const NAME = "publication ready"

export interface PublicationBuffersReady {
  readonly correlationId: bigint
  readonly registrationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly publisherLimitId: number
  /** Counter of the channel's status, −1 where a channel has none (IPC). */
  readonly channelStatusId: number
  readonly logFile: string
}

export const encode = (buffer: AtomicBuffer, offset: number, response: PublicationBuffersReady): number => {
  const view = buffer.view
  view.setBigInt64(offset + CORRELATION_ID_OFFSET, response.correlationId, true)
  view.setBigInt64(offset + REGISTRATION_ID_OFFSET, response.registrationId, true)
  view.setInt32(offset + SESSION_ID_OFFSET, response.sessionId, true)
  view.setInt32(offset + STREAM_ID_OFFSET, response.streamId, true)
  view.setInt32(offset + PUBLISHER_LIMIT_ID_OFFSET, response.publisherLimitId, true)
  view.setInt32(offset + CHANNEL_STATUS_ID_OFFSET, response.channelStatusId, true)
  return LengthPrefixed.putBytes(buffer, offset + LOG_FILE_OFFSET, LengthPrefixed.textBytes(response.logFile)) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): PublicationBuffersReady => {
  checkLength(NAME, length, LOG_FILE_OFFSET + LengthPrefixed.HEADER_LENGTH)
  const view = buffer.view
  return {
    correlationId: view.getBigInt64(offset + CORRELATION_ID_OFFSET, true),
    registrationId: view.getBigInt64(offset + REGISTRATION_ID_OFFSET, true),
    sessionId: view.getInt32(offset + SESSION_ID_OFFSET, true),
    streamId: view.getInt32(offset + STREAM_ID_OFFSET, true),
    publisherLimitId: view.getInt32(offset + PUBLISHER_LIMIT_ID_OFFSET, true),
    channelStatusId: view.getInt32(offset + CHANNEL_STATUS_ID_OFFSET, true),
    logFile: LengthPrefixed.getText(buffer, offset + LOG_FILE_OFFSET, offset + length, NAME)
  }
}
