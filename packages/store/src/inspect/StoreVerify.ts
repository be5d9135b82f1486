/**
 * Reads everything of a store and holds its parts against each other: the CRC of each record, the links between log,
 * queues and index, the small files. It changes nothing and works beside a process that writes.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"
import { type FileSystem, join } from "../mapped/FileSystem.ts"
import type { OnFinding } from "./Finding.ts"
import { IndexCheck } from "./IndexCheck.ts"
import type { IndexFileView } from "./IndexWalk.ts"
import * as DamageCheck from "../recovery/DamageCheck.ts"
import type { Survival } from "../recovery/MachineIdentity.ts"
import * as RecoveryStart from "../recovery/RecoveryStart.ts"
import type { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import * as LogSurvey from "./LogSurvey.ts"
import type { Damage } from "./LogSurvey.ts"
import { QueueCheck } from "./QueueCheck.ts"

export interface VerifyOptions {
  readonly fileSystem: FileSystem
  readonly root: string
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly indexFiles: ReadonlyArray<IndexFileView>
  /** Whether the store is open, or was not closed: its end may be unfinished. */
  readonly isOpen: boolean
  readonly checkpoint: StoreCheckpoint
  readonly survival: Survival
  readonly onFinding: OnFinding
}

/** What was read. */
export interface Verified {
  readonly records: number
  readonly queueEntries: number
  readonly indexEntries: number
  readonly keys: number
  readonly minPosition: number
  /** Position behind the last valid record. */
  readonly maxPosition: number
  /** Why the log ends there. */
  readonly endReason: string
  /** Records at the end that have no queue entry yet, of a store that is open or was not closed. */
  readonly undispatched: number
  /** Entries of queues and index that lead behind the last record; the next opening cuts them. */
  readonly beyondEnd: number
  /** Keys at the end that are not in the index yet, likewise. */
  readonly unindexed: number
}

/** How far it has come: positions of the log, then entries. */
export interface VerifyProgress {
  readonly part: "log" | "queues" | "index"
  readonly done: number
}

export function* verify(options: VerifyOptions): Generator<VerifyProgress, Verified> {
  const { commitLog, indexFiles, isOpen, onFinding, queues } = options
  const queueCheck = new QueueCheck({ commitLog, queues, mayLag: isOpen, onFinding })
  const indexCheck = new IndexCheck({ commitLog, files: indexFiles, mayLag: isOpen, onFinding })
  const steps = LogSurvey.survey(commitLog, queues, (record, position) => {
    queueCheck.onRecord(record, position)
    indexCheck.onRecord(record, position)
  })
  const log = yield* inPart("log", steps)
  for (const damage of log.damages) {
    onFinding({ _tag: "LogDamage", opening: openingOf(damage, options), ...damage })
  }
  yield* inPart("queues", queueCheck.entries(log.damages, log.end))
  yield* inPart("index", indexCheck.entries(log.damages, log.end))
  checkConfig(options)
  return {
    records: log.recordCount,
    queueEntries: queueCheck.entryCount,
    indexEntries: indexCheck.entryCount,
    keys: indexCheck.keyCount,
    minPosition: commitLog.minOffset,
    maxPosition: log.end,
    endReason: RecordCheck.reasonOf(log.code),
    beyondEnd: queueCheck.beyondEnd + indexCheck.beyondEnd,
    undispatched: queueCheck.lagging,
    unindexed: indexCheck.lagging
  }
}

/** What an opening does with a damage. */
const openingOf = ({ position, storedBefore }: Damage, options: VerifyOptions): "refused" | "cut" | "not read" => {
  const { checkpoint, commitLog, isOpen, queues, survival } = options
  const maxPosition = [...queues.all()].reduce((max, { queue }) => Math.max(max, queue.maxPosition), -1)
  const readFrom = isOpen
    ? RecoveryStart.afterCrash(commitLog, checkpoint.minTimestamp)
    : RecoveryStart.afterCleanExit(commitLog, maxPosition)
  if (position < readFrom) {
    return "not read"
  }
  const bounds = DamageCheck.boundsOf(checkpoint.physicMsgTimestamp, survival)
  const check = { commitLog, queues, ...bounds, lastStoreTimestamp: storedBefore }
  return DamageCheck.validBehind(position, check) >= 0 ? "refused" : "cut"
}

function* inPart<A>(part: VerifyProgress["part"], steps: Generator<number, A>): Generator<VerifyProgress, A> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) {
      return step.value
    }
    yield { part, done: step.value }
  }
}

const checkConfig = ({ fileSystem, onFinding, root }: VerifyOptions): void => {
  const directory = join(root, "config")
  for (const { isDirectory, name } of fileSystem.entries(directory) ?? []) {
    const file = join(directory, name)
    if (!isDirectory && name.endsWith(".json") && ConfigFile.read(fileSystem, file) === undefined) {
      onFinding({ _tag: "ConfigUnreadable", file })
    }
  }
}
