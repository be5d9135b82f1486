/**
 * Where recovery begins to read the log. After a clean exit everything in the queues is known to be good, so the file
 * that the queues end in is enough; after any other exit reading begins at the newest file that was on the device as a
 * whole, by the times of the checkpoint.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"

const OPTIONS: RecordCheckOptions = { checkCrc: true, requireCrcProperty: false }

/** `maxPosition` is the highest end of a record that has a queue entry. */
export const afterCleanExit = (commitLog: CommitLog, maxPosition: number): number =>
  newestFile(commitLog, (record) => record.physicalOffset <= maxPosition)

export const afterCrash = (commitLog: CommitLog, minTimestamp: number): number =>
  newestFile(commitLog, (record) => record.storeTimestamp <= minTimestamp)

/** Start of the newest file whose first record is valid and acceptable, else of the oldest. */
const newestFile = (commitLog: CommitLog, isAcceptable: (first: RecordCursor) => boolean): number => {
  const { files } = commitLog.files
  const cursor = new RecordCursor()
  for (let index = files.length - 1; index > 0; index--) {
    const file = files[index]!
    const code = RecordReader.read(file, 0, cursor, OPTIONS)
    if (code > 0 && isAcceptable(cursor)) {
      return file.fromOffset
    }
  }
  return commitLog.minOffset
}
