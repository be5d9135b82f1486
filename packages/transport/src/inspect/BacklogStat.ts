/**
 * How far behind each part of a stream is: what Aeron's BacklogStat shows. All differences are of counters that move
 * while they are read, one after the other, so a live stream may show a backlog of less than nothing.
 */
import * as StreamCounters from "../driver/StreamCounters.ts"
import type { StreamCounter, StreamRow } from "./StreamStat.ts"

/** The publication of a stream. */
export interface PublisherBacklog {
  readonly registrationId: bigint
  readonly position: bigint
  /** Bytes that it may still publish before it is held back. */
  readonly remaining: bigint
}

/** The network side of a publication. */
export interface SenderBacklog {
  readonly registrationId: bigint
  readonly position: bigint
  /** Bytes that are published and not sent. */
  readonly backlog: bigint
  /** Bytes that receivers still let it send. */
  readonly window: bigint
}

/** The image of a stream that comes from the network. */
export interface ReceiverBacklog {
  readonly registrationId: bigint
  /** Up to where nothing is missing. */
  readonly position: bigint
  /** Bytes between that and the furthest that arrived. */
  readonly backlog: bigint
}

/** One subscriber of a stream. */
export interface SubscriberBacklog {
  readonly registrationId: bigint
  readonly position: bigint
  /** Bytes that are there for it and not consumed. */
  readonly backlog: bigint
}

export interface BacklogRow {
  readonly sessionId: number
  readonly streamId: number
  readonly channel: string
  readonly publisher: PublisherBacklog | undefined
  readonly sender: SenderBacklog | undefined
  readonly receiver: ReceiverBacklog | undefined
  readonly subscribers: ReadonlyArray<SubscriberBacklog>
}

export const collect = (rows: ReadonlyArray<StreamRow>): ReadonlyArray<BacklogRow> => rows.map(backlogOf)

const find = ({ counters }: StreamRow, typeId: number): StreamCounter | undefined =>
  counters.find((counter) => counter.typeId === typeId)

const backlogOf = (row: StreamRow): BacklogRow => {
  const { channel, sessionId, streamId } = row
  const publisher = find(row, StreamCounters.PUBLISHER_POSITION_TYPE_ID)
  const arrived = find(row, StreamCounters.RECEIVER_HWM_TYPE_ID)
  const available = arrived ?? publisher
  return {
    sessionId,
    streamId,
    channel,
    publisher: publisherOf(row, publisher),
    sender: senderOf(row, publisher),
    receiver: receiverOf(row, arrived),
    subscribers: row.counters
      .filter(({ typeId }) => typeId === StreamCounters.SUBSCRIBER_POSITION_TYPE_ID)
      .map(({ registrationId, value }) => ({
        registrationId,
        position: value,
        backlog: (available?.value ?? value) - value
      }))
  }
}

const publisherOf = (row: StreamRow, position: StreamCounter | undefined): PublisherBacklog | undefined => {
  const limit = find(row, StreamCounters.PUBLISHER_LIMIT_TYPE_ID)
  return position === undefined || limit === undefined
    ? undefined
    : {
        registrationId: position.registrationId,
        position: position.value,
        remaining: limit.value - position.value
      }
}

const senderOf = (row: StreamRow, publisher: StreamCounter | undefined): SenderBacklog | undefined => {
  const position = find(row, StreamCounters.SENDER_POSITION_TYPE_ID)
  const limit = find(row, StreamCounters.SENDER_LIMIT_TYPE_ID)
  return position === undefined || limit === undefined
    ? undefined
    : {
        registrationId: position.registrationId,
        position: position.value,
        backlog: (publisher?.value ?? position.value) - position.value,
        window: limit.value - position.value
      }
}

const receiverOf = (row: StreamRow, arrived: StreamCounter | undefined): ReceiverBacklog | undefined => {
  const position = find(row, StreamCounters.RECEIVER_POSITION_TYPE_ID)
  return position === undefined || arrived === undefined
    ? undefined
    : {
        registrationId: position.registrationId,
        position: position.value,
        backlog: arrived.value - position.value
      }
}
