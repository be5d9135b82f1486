/**
 * The offset in a queue for a store time. LOWER: the first message stored at or after it, the end of the queue when all
 * are older. UPPER: the last one stored at or before it. Both stay within what the queue holds.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import type { ConsumeQueue, QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import * as QueueSearch from "../consumequeue/QueueSearch.ts"

export type Boundary = "lower" | "upper"

const cursor = new RecordCursor()

export const find = (commitLog: CommitLog, queue: ConsumeQueue, timeMs: number, boundary: Boundary): number => {
  const { maxOffset, minOffset } = queue
  const firstAt = (time: number) =>
    QueueSearch.first(queue, minOffset, maxOffset, (entry) => storeTimeOf(commitLog, entry) >= time)
  // Store times are whole milliseconds: the last at or before is the one before the first at the next millisecond.
  return boundary === "lower" ? firstAt(timeMs) : QueueSearch.previousReal(queue, firstAt(timeMs + 1), minOffset)
}

/** -1 for a message whose record is gone: it is older than all that are kept. */
const storeTimeOf = (commitLog: CommitLog, { position, size }: QueueEntry): number => {
  const file = commitLog.files.find(position)
  if (file === undefined) {
    return -1
  }
  const at = position - file.fromOffset
  return cursor.wrap(file.read(at, Math.min(size, file.length - at)), at).storeTimestamp
}
