/**
 * A recorded message: what is kept of its place in the stream that it came by. The rest is that of any message of a store.
 *
 * ```
 *   topic      one recording
 *   queue      one session of one stream: its positions only grow, so a position is found by halving
 *   body       the payload, byte for byte
 *   tag        the session id, for readers that filter
 *   property   STREAM_ID        stream id, a decimal int32
 *   property   SESSION_ID       session id, a decimal int32
 *   property   STREAM_START     position where the message begins: behind the message before it
 *   property   STREAM_POSITION  position behind the message
 * ```
 *
 * A STREAM_START beyond the STREAM_POSITION before it in the queue is a gap: what lies between was not recorded. It is
 * left out where the source does not say where a message begins. There are no keys: an index entry would cost 20 bytes a
 * message and find nothing that halving does not.
 */

export const STREAM_ID = "STREAM_ID"
export const SESSION_ID = "SESSION_ID"
export const STREAM_START = "STREAM_START"
export const STREAM_POSITION = "STREAM_POSITION"

/** The place of a message. */
export interface RecordedPlace {
  readonly streamId: number
  readonly sessionId: number
  /** Undefined where its source did not say. */
  readonly startPosition: number | undefined
  readonly position: number
}

/** The properties of a message at a place. */
export const encode = ({ position, sessionId, startPosition, streamId }: RecordedPlace): Record<string, string> => {
  const properties: Record<string, string> = {
    [STREAM_ID]: String(streamId),
    [SESSION_ID]: String(sessionId),
    [STREAM_POSITION]: String(position)
  }
  if (startPosition !== undefined) {
    properties[STREAM_START] = String(startPosition)
  }
  return properties
}

/** The place of a message; undefined when it is not a recorded one. */
export const decode = (properties: Readonly<Record<string, string>>): RecordedPlace | undefined => {
  const start = properties[STREAM_START]
  const place: RecordedPlace = {
    streamId: numberOf(properties[STREAM_ID]),
    sessionId: numberOf(properties[SESSION_ID]),
    startPosition: start === undefined ? undefined : numberOf(start),
    position: numberOf(properties[STREAM_POSITION])
  }
  return isLegal(place) ? place : undefined
}

const numberOf = (text: string | undefined): number =>
  text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN

/** Whether a message can be recorded at a place: ids are 32-bit integers, positions whole numbers in order. */
export const isLegal = ({ position, sessionId, startPosition, streamId }: RecordedPlace): boolean =>
  (streamId | 0) === streamId &&
  (sessionId | 0) === sessionId &&
  Number.isSafeInteger(position) &&
  (startPosition === undefined || (Number.isSafeInteger(startPosition) && startPosition >= 0)) &&
  position >= (startPosition ?? 0)
