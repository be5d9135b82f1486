/**
 * The offset in a queue for a store time. LOWER: the first message stored at or after it, the end of the queue when all
 * are older. UPPER: the last one stored at or before it. Both stay within what the queue holds.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import { type ConsumeQueue, isFiller, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"

export type Boundary = "lower" | "upper"

const cursor = new RecordCursor()
const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }

export const find = (commitLog: CommitLog, queue: ConsumeQueue, timeMs: number, boundary: Boundary): number => {
  const { maxOffset, minOffset } = queue
  if (boundary === "lower") {
    return firstNotBefore(commitLog, queue, timeMs)
  }
  // Store times are whole milliseconds: the last at or before is the one before the first at the next millisecond.
  const after = firstNotBefore(commitLog, queue, timeMs + 1)
  return Math.max(minOffset, Math.min(maxOffset, after - 1))
}

const firstNotBefore = (commitLog: CommitLog, queue: ConsumeQueue, timeMs: number): number => {
  let low = queue.minOffset
  let high = queue.maxOffset
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (storeTimeOf(commitLog, queue, middle) < timeMs) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return low
}

/** -1 for a message whose record is gone: it is older than all that are kept. */
const storeTimeOf = (commitLog: CommitLog, queue: ConsumeQueue, offset: number): number => {
  if (!queue.read(offset, entry) || isFiller(entry)) {
    return -1
  }
  const file = commitLog.files.find(entry.position)
  if (file === undefined) {
    return -1
  }
  const at = entry.position - file.fromOffset
  return cursor.wrap(file.read(at, Math.min(entry.size, file.length - at)), at).storeTimestamp
}
