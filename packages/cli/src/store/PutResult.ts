/** What became of a put, for a script: RocketMQ's status, and where the message is. */
import type * as MessageStore from "@millrace/store/MessageStore"
import type { StoreError } from "@millrace/store/StoreError"

export interface PutLine {
  readonly id: string | number | null
  readonly status: MessageStore.PutStatus
  readonly [field: string]: unknown
}

/** A batch has the places of all its messages. */
export const stored = (
  id: PutLine["id"],
  results: ReadonlyArray<MessageStore.PutResult>,
  isBatch: boolean
): PutLine => {
  const { durability, length, position, queueId, queueOffset, status, storeTimestamp } = results[0]!
  const place = { position, length, queueId, queueOffset, storeTimestamp, durability }
  return isBatch
    ? { id, status, ...place, positions: results.map((result) => result.position) }
    : { id, status, ...place }
}

export const refused = (id: PutLine["id"], error: StoreError): PutLine => ({
  id,
  status: statusOf(error),
  reason: error.reason._tag,
  error: error.message
})

const statusOf = ({ reason }: StoreError): MessageStore.PutStatus => {
  switch (reason._tag) {
    case "MessageIllegal":
      return "MESSAGE_ILLEGAL"
    case "PropertiesTooLong":
      return "PROPERTIES_SIZE_EXCEEDED"
    case "PutRefused":
      return reason.status
    case "OutOfSpace":
    case "NotWriteable":
    case "Closed":
      return "SERVICE_NOT_AVAILABLE"
    default:
      return "UNKNOWN_ERROR"
  }
}

export const isRefused = ({ reason }: PutLine): boolean => reason !== undefined
