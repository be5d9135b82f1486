/**
 * Brings to the device, before a store is closed, what may take long: the log, what is left to dispatch, and the queues,
 * which may be thousands. Syncs run off the caller's thread, one at a time, and dispatch in slices; what comes then
 * on the caller's thread finds little to do. Files of queues are closed in slices too.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"
import type { Reput } from "../dispatch/Reput.ts"
import type { IndexService } from "../index/IndexService.ts"
import type { FileFailure, FileSystem, SyncDone } from "../mapped/FileSystem.ts"
import type { MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import type { UnsyncedNames } from "../mapped/UnsyncedNames.ts"

export interface ClosingSyncParts {
  readonly fileSystem: FileSystem
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly index: IndexService
  readonly unsynced: UnsyncedNames
  readonly reput: Reput
  /** A sync has failed: no more of them say anything. */
  readonly onFailure: (failure: FileFailure) => void
  readonly hasFailed: () => boolean
}

/** A sync that is to be started: `done` is called when it has ended. Undefined where others may run before the next step. */
export type Step = ((done: () => void) => void) | undefined

/** Throws `FileFailure`. */
export function* steps(parts: ClosingSyncParts): Generator<Step> {
  const { commitLog, fileSystem, hasFailed, index, onFailure, queues, reput, unsynced } = parts
  const sync =
    (start: (done: SyncDone) => void, onSuccess: () => void): Step =>
    (done) =>
      start((failure) => {
        if (failure === undefined) {
          onSuccess()
        } else {
          onFailure(failure)
        }
        done()
      })
  function* syncFiles(files: MappedFileQueue): Generator<Step> {
    for (let file = files.fileToFlush(0); file !== undefined && !hasFailed(); file = files.fileToFlush(0)) {
      const current = file
      const from = current.flushedPosition
      const to = current.readableEnd
      yield sync(
        (done) => current.file.syncAsync(from, to - from, done),
        () => files.onFlushed(current, to)
      )
    }
  }
  commitLog.files.commitAll()
  yield* syncFiles(commitLog.files)
  while (!hasFailed() && reput.doWork() > 0) {
    yield undefined
  }
  for (const files of queues.files()) {
    yield* syncFiles(files)
  }
  for (let file = index.fileToFlush; file !== undefined && !hasFailed(); file = index.fileToFlush) {
    const current = file
    yield sync(
      (done) => index.flushAsync(current, done),
      () => undefined
    )
  }
  for (let name = hasFailed() ? undefined : unsynced.take(); name !== undefined; name = unsynced.take()) {
    const directory = name
    yield sync(
      (done) => fileSystem.syncDirectoryAsync(directory, done),
      () => undefined
    )
  }
  if (reput.behindBytes === 0) {
    yield* closeQueues(queues)
  }
}

/** Files that are closed at a time: each takes its mapping apart, which costs 0.1 ms. */
const CLOSED_A_SLICE = 16

/** Closes what nobody looks into any more. The ends of batch consume queues stand in their files. */
function* closeQueues(queues: QueueTable): Generator<undefined> {
  let count = 0
  for (const { queue, topic } of queues.all()) {
    if (!topic.isBatch) {
      queue.ext?.files.close()
      queue.files.close()
      count++
      if (count % CLOSED_A_SLICE === 0) {
        yield undefined
      }
    }
  }
}
