/**
 * ON_AVAILABLE_IMAGE. The source identity follows the log's file name at the next multiple of 4.
 *
 *     0               8           12         16                           24
 *     +---------------+-----------+----------+----------------------------+
 *     | correlationId | sessionId | streamId | subscriptionRegistrationId |
 *     +---------------+-----------+----------+----------------------------+
 *     24                            28           32              ...
 *     +-----------------------------+------------+---------------+--------------+--------
 *     | subscriberPositionCounterId | fileLength | logFile, pad  | sourceLength | source
 *     +-----------------------------+------------+---------------+--------------+--------
 */
import { align } from "@millrace/core/kernel/memory/Alignment"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as LengthPrefixed from "./LengthPrefixed.ts"
import { checkLength } from "./MalformedMessage.ts"

const CORRELATION_ID_OFFSET = 0
const SESSION_ID_OFFSET = 8
const STREAM_ID_OFFSET = 12
const SUBSCRIPTION_REGISTRATION_ID_OFFSET = 16
const SUBSCRIBER_POSITION_ID_OFFSET = 24
const LOG_FILE_OFFSET = 28
const NAME = "available image"

export interface ImageBuffersReady {
  readonly correlationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly subscriptionRegistrationId: bigint
  readonly subscriberPositionId: number
  readonly logFile: string
  readonly sourceIdentity: string
}

export const encode = (buffer: AtomicBuffer, offset: number, response: ImageBuffersReady): number => {
  const view = buffer.view
  view.setBigInt64(offset + CORRELATION_ID_OFFSET, response.correlationId, true)
  view.setInt32(offset + SESSION_ID_OFFSET, response.sessionId, true)
  view.setInt32(offset + STREAM_ID_OFFSET, response.streamId, true)
  view.setBigInt64(offset + SUBSCRIPTION_REGISTRATION_ID_OFFSET, response.subscriptionRegistrationId, true)
  view.setInt32(offset + SUBSCRIBER_POSITION_ID_OFFSET, response.subscriberPositionId, true)
  const logFile = LengthPrefixed.textBytes(response.logFile)
  const fileEnd = LengthPrefixed.putBytes(buffer, offset + LOG_FILE_OFFSET, logFile) - offset
  const source = LengthPrefixed.textBytes(response.sourceIdentity)
  return LengthPrefixed.putBytes(buffer, offset + align(fileEnd, 4), source) - offset
}

export const decode = (buffer: AtomicBuffer, offset: number, length: number): ImageBuffersReady => {
  checkLength(NAME, length, LOG_FILE_OFFSET + LengthPrefixed.HEADER_LENGTH)
  const view = buffer.view
  const end = offset + length
  const fileLength = LengthPrefixed.fieldLength(buffer, offset + LOG_FILE_OFFSET, end, NAME)
  const sourceOffset = align(LOG_FILE_OFFSET + LengthPrefixed.HEADER_LENGTH + fileLength, 4)
  return {
    correlationId: view.getBigInt64(offset + CORRELATION_ID_OFFSET, true),
    sessionId: view.getInt32(offset + SESSION_ID_OFFSET, true),
    streamId: view.getInt32(offset + STREAM_ID_OFFSET, true),
    subscriptionRegistrationId: view.getBigInt64(offset + SUBSCRIPTION_REGISTRATION_ID_OFFSET, true),
    subscriberPositionId: view.getInt32(offset + SUBSCRIBER_POSITION_ID_OFFSET, true),
    logFile: LengthPrefixed.getText(buffer, offset + LOG_FILE_OFFSET, end, NAME),
    sourceIdentity: LengthPrefixed.getText(buffer, offset + sourceOffset, end, NAME)
  }
}
