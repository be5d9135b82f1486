/**
 * Whether the queue offset of a record can be true. Records without a CRC over all of them may have a flipped bit there
 * and be valid otherwise: believed, it would have a queue filled up to it, or all later messages of the queue ignored.
 */
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

/** Every message before it in its queue had a record of its own in the log before it; else its entry speaks for it. */
export const isPlausible = (queues: QueueTable, record: RecordCursor): boolean => {
  const { queueOffset, sysFlag } = record
  const recordsMax = record.physicalOffset / RecordDescriptor.RECORD_LENGTH_MIN
  // Nearly all records are plausible by this, without a look at their topic.
  if (!SysFlag.hasQueueEntry(sysFlag) || (queueOffset >= 0 && queueOffset <= recordsMax)) {
    return true
  }
  const isBatch = SysFlag.isInnerBatch(sysFlag) || queues.isBatch(record.topic)
  return (
    (isBatch && queueOffset >= 0 && queueOffset <= recordsMax * BatchEntryDescriptor.COUNT_MAX) ||
    isQueued(queues, record)
  )
}
