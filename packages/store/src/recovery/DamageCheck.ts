/**
 * Tells a torn tail from damage. A crash leaves the last records of the log unfinished, and those are cut. But where a
 * valid record that must have been on the device stands behind a bad one, something else has happened to the bad one,
 * and cutting there would throw good messages away.
 *
 * A valid record behind counts when its store time says that it was durable: any time where the page cache has lived on
 * (a clean exit, a killed process), that of the checkpoint after a power failure, which may keep a later sector and lose
 * an earlier one. Within the file it must also have its queue entry, or lie within the checkpoint's time: the bytes of a
 * body may look like a record. Records that an earlier recovery cut but left in place have older store times than what
 * stands before the bad place, and are told apart by that.
 *
 * With a transient pool a file that found no buffer was written before those in front of it, whose buffers a killed process
 * takes with it. A later file then proves nothing by being there; records of it that have a queue entry, or the
 * checkpoint's word, were made readable, or brought to the device, after all before them.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import type { QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"
import type { Survival } from "./MachineIdentity.ts"
import * as NextRecord from "./NextRecord.ts"

export interface DamageCheckOptions {
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  /** Store time up to which records must be on the device. */
  readonly durableTimestamp: number
  /** Store time up to which the first record of a later file says that the files before it were written. */
  readonly orderedTimestamp: number
  /** Store time up to which the checkpoint says that the log was flushed. */
  readonly flushedTimestamp: number
  /** Store time of the last valid record before the bad place. */
  readonly lastStoreTimestamp: number
}

/** Store times up to which records behind a bad place count; `flushed` is that of the checkpoint for the log. */
export const boundsOf = (
  flushed: number,
  { isWrittenDurable, isWrittenInOrder }: Pick<Survival, "isWrittenDurable" | "isWrittenInOrder">
): Pick<DamageCheckOptions, "durableTimestamp" | "orderedTimestamp" | "flushedTimestamp"> => {
  // A record of the checkpoint's own millisecond may have come after the flush that it speaks of.
  const durableTimestamp = isWrittenDurable ? Number.POSITIVE_INFINITY : flushed - 1
  return {
    durableTimestamp,
    orderedTimestamp: isWrittenInOrder ? durableTimestamp : flushed - 1,
    flushedTimestamp: flushed
  }
}

/** Position of a valid record behind `position` that must have been durable, or -1. */
export const validBehind = (position: number, options: DamageCheckOptions): number => {
  const { files } = options.commitLog
  const cursor = new RecordCursor()
  const file = files.find(position)
  if (file === undefined) {
    return -1
  }
  for (const later of files.files) {
    const isValid = later.fromOffset > position && NextRecord.checkAt(later, 0, cursor) > 0
    if (isValid && cursor.storeTimestamp <= options.orderedTimestamp && mustBeDurable(cursor, options)) {
      return later.fromOffset
    }
  }
  const offset = NextRecord.inFile(
    file,
    position - file.fromOffset + 1,
    cursor,
    (record) => mustBeDurable(record, options) && isKnown(record, options)
  )
  return offset >= 0 ? file.fromOffset + offset : searchQueues(position, cursor, options)
}

/** A valid record behind `position` that the end of some queue points to. */
const searchQueues = (position: number, cursor: RecordCursor, options: DamageCheckOptions): number => {
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  for (const { queue } of options.queues.all()) {
    for (let slot = queue.endSlot - 1; queue.readSlot(slot, entry) && entry.position > position; slot--) {
      const file = options.commitLog.files.find(entry.position)
      const isValid = file !== undefined && NextRecord.checkAt(file, entry.position - file.fromOffset, cursor) > 0
      if (isValid && cursor.queueOffset === queue.offsetOf(slot) && mustBeDurable(cursor, options)) {
        return entry.position
      }
    }
  }
  return -1
}

const mustBeDurable = (record: RecordCursor, options: DamageCheckOptions): boolean =>
  record.storeTimestamp >= options.lastStoreTimestamp && record.storeTimestamp <= options.durableTimestamp

/** Whether something outside the log speaks for the record: the checkpoint, or the entry of its queue. */
const isKnown = (record: RecordCursor, options: DamageCheckOptions): boolean => {
  if (record.storeTimestamp <= options.flushedTimestamp) {
    return true
  }
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  const state = options.queues.find(record.topic, record.queueId)
  return state !== undefined && state.queue.read(record.queueOffset, entry) && entry.position === record.physicalOffset
}
