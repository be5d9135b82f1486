/**
 * Whether the place in a queue that a record claims can be its own. Records without a CRC over all of them may have a
 * flipped bit there and be valid otherwise. Believed, an offset would have a queue filled up to it, or all later messages
 * of the queue ignored; and a topic would be made a directory, wherever that leads.
 */
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import * as BatchEntryDescriptor from "../consumequeue/BatchEntryDescriptor.ts"
import type { QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"

const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }

/** Whether the queue of a record has its entry. */
export const isQueued = (queues: QueueTable, record: RecordCursor): boolean => {
  const state = queues.find(record.topic, record.queueId)
  return (
    state !== undefined &&
    state.queue.read(record.queueOffset, entry) &&
    entry.position === record.physicalOffset &&
    entry.size === record.totalSize
  )
}

/** A code of `RecordCheck`, or 0 where nothing speaks against it. */
export const problemOf = (queues: QueueTable, record: RecordCursor): number => {
  if (!SysFlag.hasQueueEntry(record.sysFlag)) {
    return 0
  }
  if (record.queueId < 0 || !hasName(record)) {
    return RecordCheck.BAD_QUEUE
  }
  return hasOffset(queues, record) ? 0 : RecordCheck.BAD_QUEUE_OFFSET
}

const NAME_LENGTH_MAX = 255
const DOT = 0x2e
const SLASH = 0x2f

/** Whether a directory can be called like the topic, and be one of the store. */
const hasName = ({ bytes, topicAt, topicLength }: RecordCursor): boolean => {
  if (topicLength === 0 || topicLength > NAME_LENGTH_MAX) {
    return false
  }
  let dotCount = 0
  for (let index = topicAt; index < topicAt + topicLength; index++) {
    const byte = bytes[index]!
    if (byte === 0 || byte === SLASH) {
      return false
    }
    dotCount += byte === DOT ? 1 : 0
  }
  return dotCount < topicLength || topicLength > 2
}

/** Every message before it in its queue had a record of its own in the log before it; else its entry speaks for it. */
const hasOffset = (queues: QueueTable, record: RecordCursor): boolean => {
  const { queueOffset, sysFlag } = record
  const recordsMax = record.physicalOffset / RecordDescriptor.RECORD_LENGTH_MIN
  // Nearly all records are plausible by this, without a look at their topic.
  if (queueOffset >= 0 && queueOffset <= recordsMax) {
    return true
  }
  const isBatch = SysFlag.isInnerBatch(sysFlag) || queues.isBatch(record.topic)
  return (
    (isBatch && queueOffset >= 0 && queueOffset <= recordsMax * BatchEntryDescriptor.COUNT_MAX) ||
    isQueued(queues, record)
  )
}
