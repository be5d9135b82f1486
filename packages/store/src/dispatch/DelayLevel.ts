/**
 * Delayed messages wait in the queues of one topic. There the tags code of an entry is the time of delivery.
 */
import * as MessageProperties from "../commitlog/MessageProperties.ts"
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as Utf8 from "../commitlog/Utf8.ts"

export const TOPIC = "SCHEDULE_TOPIC_XXXX"

const DELAY = Utf8.encode(MessageProperties.DELAY)
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** RocketMQ's eighteen levels: 1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h. */
const delays: ReadonlyArray<number> = [
  SECOND,
  5 * SECOND,
  10 * SECOND,
  30 * SECOND,
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30].map((minutes) => minutes * MINUTE),
  HOUR,
  2 * HOUR
]

export const isDelayTopic = (topic: string): boolean => topic === TOPIC

/** When a record of the delay topic is due. Levels above the last count as the last. */
export const deliveryTime = (record: RecordCursor): number => {
  const text = record.property(DELAY)
  if (text === undefined || !/^[+-]?\d+$/.test(text)) {
    return record.tagsHash()
  }
  const level = Math.min(Number(text), delays.length)
  return level > 0 ? record.storeTimestamp + delays[level - 1]! : record.tagsHash()
}
