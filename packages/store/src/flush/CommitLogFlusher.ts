/** One flush of the commit log: one file a call, as much of it as is written when the sync starts. */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import type { SyncLane } from "./SyncLane.ts"

/**
 * Starts a flush if `leastPages` of a file are dirty. Returns whether it did. `onFlushed` is told whether the file was
 * full, so that the flush goes on in the next one.
 */
export const start = (
  commitLog: CommitLog,
  checkpoint: StoreCheckpoint,
  lane: SyncLane,
  leastPages: number,
  onFlushed: (isFull: boolean) => void
): boolean => {
  const { files } = commitLog
  const file = lane.isFreeFor("log") ? files.fileToFlush(leastPages) : undefined
  if (file === undefined) {
    return false
  }
  const from = file.flushedPosition
  const to = file.readableEnd
  const timestamp = commitLog.lastStoreTimestamp
  const isWhole = file === files.lastFile && to === file.wrotePosition
  lane.run(
    "log",
    (done) => file.file.syncAsync(from, to - from, done),
    () => {
      files.onFlushed(file, to)
      if (isWhole) {
        checkpoint.physicMsgTimestamp = Math.max(checkpoint.physicMsgTimestamp, timestamp)
        checkpoint.write()
      }
      onFlushed(to === file.length)
    }
  )
  return true
}
