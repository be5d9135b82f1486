/**
 * The offset in a queue for a store time. LOWER: the first message stored at or after it, the end of the queue when all
 * are older. UPPER: the last one stored at or before it. Both stay within what the queue holds.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import type { ConsumeQueue, QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import * as QueueSearch from "../consumequeue/QueueSearch.ts"

export type Boundary = "lower" | "upper"

const NO_CRC: RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }
const cursor = new RecordCursor()

export const find = (commitLog: CommitLog, queue: ConsumeQueue, timeMs: number, boundary: Boundary): number => {
  const { endSlot, minOffset } = queue
  const begin = queue.slotOf(minOffset)
  const firstAt = (time: number) =>
    QueueSearch.first(queue, begin, endSlot, (entry) => storeTimeOf(commitLog, entry) >= time)
  // Store times are whole milliseconds: the last at or before is the one before the first at the next millisecond.
  const slot = boundary === "lower" ? firstAt(timeMs) : QueueSearch.previousReal(queue, firstAt(timeMs + 1), begin)
  return Math.max(minOffset, queue.offsetOf(slot))
}

/** -1 for a message whose record is gone, or is none: it counts as older than all that are kept. */
const storeTimeOf = (commitLog: CommitLog, { position }: QueueEntry): number => {
  const file = commitLog.files.find(position)
  const isRecord = file !== undefined && RecordReader.read(file, position - file.fromOffset, cursor, NO_CRC) > 0
  return isRecord ? cursor.storeTimestamp : -1
}
