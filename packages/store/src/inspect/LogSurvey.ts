/**
 * Reads the whole log, over bad places as well: where no record stands but a valid one does behind, the stretch between
 * them is damage, and reading goes on there. The rest behind the last record is the end of the log, torn or not.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"
import * as LogScan from "../recovery/LogScan.ts"
import * as NextRecord from "../recovery/NextRecord.ts"
import { isQueued, problemOf } from "../recovery/QueueOffset.ts"

export const CHECK: RecordCheck.RecordCheckOptions = { checkCrc: true, requireCrcProperty: false }

/** A stretch of the log without records, between records. */
export interface Damage {
  readonly position: number
  /** Position of the next valid record. */
  readonly end: number
  readonly file: string
  readonly reason: string
  /** Store time of the last record before it; 0 for none. */
  readonly storedBefore: number
  /** Valid records behind it, up to the next damage. */
  readonly recordsBehind: number
}

export interface LogSurvey {
  readonly recordCount: number
  readonly damages: ReadonlyArray<Damage>
  /** Position behind the last valid record. */
  readonly end: number
  /** Position behind which nothing valid is: `end`, or behind the blank that follows it. */
  readonly stoppedAt: number
  /** Why the log ends there: a code of `RecordCheck`. */
  readonly code: number
}

/** Yields the position that it has come to. */
export function* survey(commitLog: CommitLog, queues: QueueTable, visit: LogScan.Visit): Generator<number, LogSurvey> {
  const damages: Array<Damage> = []
  let bad: Omit<Damage, "recordsBehind"> | undefined = undefined
  let recordCount = 0
  let lastStoreTimestamp = 0
  let from = commitLog.minOffset
  for (;;) {
    const result: LogScan.LogScanResult = yield* LogScan.scan(commitLog, from, CHECK, visit, {
      problemOf: (record) => problemOf(queues, record)
    })
    recordCount += result.recordCount
    lastStoreTimestamp = Math.max(lastStoreTimestamp, result.lastStoreTimestamp)
    if (bad !== undefined) {
      damages.push({ ...bad, recordsBehind: result.recordCount })
    }
    const { code, end, stoppedAt } = result
    const next = NextRecord.behind(
      commitLog,
      stoppedAt,
      new RecordCursor(),
      // What an earlier recovery cut but left in place is older than what stands before the bad place.
      (record) =>
        problemOf(queues, record) === 0 && (record.storeTimestamp >= lastStoreTimestamp || isQueued(queues, record))
    )
    if (next < 0) {
      return { recordCount, damages, end, stoppedAt, code }
    }
    // A record stands behind it, so that a file holds it.
    const file = commitLog.files.find(stoppedAt)!.file.path
    bad = { position: stoppedAt, end: next, file, reason: RecordCheck.reasonOf(code), storedBefore: lastStoreTimestamp }
    from = next
  }
}

/** Whether a position lies in one of the damages, which are in order. */
export const isDamaged = (damages: ReadonlyArray<Damage>, position: number): boolean => {
  let low = 0
  let high = damages.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (damages[middle]!.end <= position) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return low < damages.length && damages[low]!.position <= position
}
