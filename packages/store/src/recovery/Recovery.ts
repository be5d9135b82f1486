/**
 * Makes a store whole after its last process has ended: finds the end of the log, cuts a torn tail, and brings the queues
 * into line with the log by dispatching again what they may lack. It changes nothing that a second run would not leave as
 * it is, so a crash in the middle of it is harmless. Written as generators: whoever drives one decides when others run.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import { isFiller, isWritten, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import * as QueueSearch from "../consumequeue/QueueSearch.ts"
import type { QueueState, QueueTable } from "../consumequeue/QueueTable.ts"
import type { Dispatcher } from "../dispatch/Dispatcher.ts"
import type { IndexService } from "../index/IndexService.ts"
import * as DamageCheck from "./DamageCheck.ts"
import * as ExtRecovery from "./ExtRecovery.ts"
import * as LogScan from "./LogScan.ts"
import type * as MachineIdentity from "./MachineIdentity.ts"
import * as QueueOffset from "./QueueOffset.ts"
import * as RecoveryStart from "./RecoveryStart.ts"
import type { StoreCheckpoint } from "./StoreCheckpoint.ts"
import type * as QueueList from "./QueueList.ts"
import { TailSummary } from "./TailSummary.ts"
import * as Truncation from "./Truncation.ts"

/** What recovery read, cut and rebuilt, and why. */
export interface RecoveryReport {
  readonly exit: "clean" | "crash"
  readonly minPosition: number
  readonly maxPosition: number
  /** Where reading of the log began. */
  readonly readFrom: number
  readonly recordsRead: number
  /** Where the log was dispatched again from, to queues and index that lacked something. */
  readonly dispatchedFrom: number
  /** Why the log ends where it does. */
  readonly endReason: string
  /** Bytes of an unfinished record or run that were cut at the end of the log. */
  readonly tornBytes: number
  /** Bytes of records that were refused, since their write failed half way, and were cut at the end of the log. */
  readonly refusedBytes: number
  /** Files of the log that were removed behind its end. */
  readonly logFilesRemoved: number
  /** Why the log was dispatched again, from `dispatchedFrom` on. */
  readonly dispatchReason: string
  readonly queueEntriesCut: number
  readonly queueEntriesRebuilt: number
  /** Entries of index files that could be kept, and those made anew. */
  readonly indexEntriesKept: number
  readonly indexEntriesRebuilt: number
}

/** A bad record with good ones behind it that were on the device: no record was changed. */
export class DamagedLog extends Error {
  readonly _tag = "DamagedLog"
  readonly position: number
  readonly file: string
  readonly validBehind: number
  readonly reason: string

  constructor(position: number, file: string, validBehind: number, reason: string) {
    super(`the log is damaged at ${position} in ${file} (${reason}): a valid record stands behind it at ${validBehind}`)
    this.position = position
    this.file = file
    this.validBehind = validBehind
    this.reason = reason
  }
}

const NO_CRC: RecordCheck.RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }

/** A log up to this length is read whole for queues that are gone, where no list says which there were. */
const UNLISTED_LENGTH_MAX = 1024 * 1024 * 1024

export interface RecoveryOptions extends MachineIdentity.Survival {
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly checkpoint: StoreCheckpoint
  /** Undefined for a store without one. */
  readonly index: IndexService | undefined
  readonly dispatchers: ReadonlyArray<Dispatcher>
  /** Says, on the device, that the store is not as it was left: before anything is made anew after a clean end. */
  readonly onRebuild: () => void
  /** Whether others than queues and index follow the log: they may lack something after a crash, and nobody can tell what. */
  readonly hasOtherDispatchers: boolean
  readonly isCleanExit: boolean
  /** Whether the queues are all that the last process had, as far as it left word. */
  readonly listedQueues: () => QueueList.Answer
  /** Files that the index had at the last clean end, as far as its process left word. */
  readonly listedIndex: () => ReadonlyArray<string>
  readonly check: RecordCheck.RecordCheckOptions
  /** Whether records may have entries in further queues than their own. */
  readonly isMulti: boolean
}

/** Files before the last ones of a queue were full and flushed long ago; RocketMQ reads the last three as well. */
const QUEUE_FILES_READ = 3

/** The report of an opening that only looked. */
export const unchanged = (commitLog: CommitLog, isCleanExit: boolean): RecoveryReport => ({
  exit: isCleanExit ? "clean" : "crash",
  minPosition: commitLog.minOffset,
  maxPosition: commitLog.maxOffset,
  readFrom: commitLog.maxOffset,
  recordsRead: 0,
  dispatchedFrom: commitLog.maxOffset,
  endReason: "opened read-only",
  tornBytes: 0,
  refusedBytes: 0,
  logFilesRemoved: 0,
  dispatchReason: NOT_DISPATCHED,
  queueEntriesCut: 0,
  queueEntriesRebuilt: 0,
  indexEntriesKept: 0,
  indexEntriesRebuilt: 0
})

const NOT_DISPATCHED = "nothing was dispatched again"

export function* recover(options: RecoveryOptions): Generator<number, RecoveryReport> {
  const { checkpoint, commitLog, isCleanExit, queues } = options
  const flushedTo = isCleanExit ? Infinity : RecoveryStart.afterCrash(commitLog, checkpoint.minTimestamp)
  let maxPosition = -1
  for (const state of queues.all()) {
    findQueueEnd(state, flushedTo)
    maxPosition = Math.max(maxPosition, state.queue.maxPosition)
  }
  yield 0
  const readFrom = isCleanExit ? RecoveryStart.afterCleanExit(commitLog, maxPosition) : flushedTo
  const seen = new TailSummary(queues, isCleanExit)
  const limit = yield* limitOf(commitLog)
  const note: LogScan.Visit = (record, position) => seen.note(record, position)
  const result = yield* LogScan.scan(commitLog, readFrom, options.check, note, {
    limit: limit.position,
    problemOf: (record) => QueueOffset.problemOf(queues, record)
  })
  const isRefused = result.stoppedAt === limit.position
  if (!isRefused) {
    refuseDamage(options, result)
  }
  commitLog.lastStoreTimestamp = result.lastStoreTimestamp
  const cut = cutTail(options, result, isRefused ? limit : NO_LIMIT)
  // After a crash what was read may stand in the page cache alone: the next flush brings it to the device.
  const unflushedFrom = isCleanExit ? commitLog.maxOffset : readFrom
  commitLog.files.flushedWhere = commitLog.maxOffset
  commitLog.files.markUnflushed(unflushedFrom)
  if (options.isWrittenDurable) {
    yield* commitLog.files.rewriteUnflushed()
  }
  let queueEntriesCut = 0
  for (const state of queues.all()) {
    queueEntriesCut += Truncation.cutQueue(state.queue, commitLog, result.end)
    state.queue.files.flushedWhere = state.queue.files.maxOffset
    if (!isCleanExit) {
      state.queue.files.markUnflushed(lastFilesStart(state, flushedTo))
    }
    ExtRecovery.recover(state.queue, commitLog, flushedTo, options.isCacheKept)
    if (options.isWrittenDurable) {
      yield* state.queue.files.rewriteUnflushed()
      yield* state.queue.ext?.files.rewriteUnflushed() ?? []
    }
    state.nextOffset = state.queue.maxOffset
  }
  yield result.end
  const before = countEntries(queues)
  const lackedFrom = queueEntriesCut > 0 || options.isMulti ? readFrom : seen.lackedFrom
  const dispatch = yield* planDispatch(options, seen, readFrom, lackedFrom, result.end)
  const indexEntriesKept = options.index?.entryCountTotal ?? 0
  yield* dispatchAgain(options, dispatch, result.end, readFrom)
  for (const state of queues.all()) {
    correctMinOffset(state, commitLog.minOffset)
  }
  return {
    exit: isCleanExit ? "clean" : "crash",
    minPosition: commitLog.minOffset,
    maxPosition: commitLog.maxOffset,
    readFrom,
    recordsRead: result.recordCount,
    dispatchedFrom: dispatch.from,
    dispatchReason: dispatch.reason,
    endReason: isRefused ? "what follows was refused" : RecordCheck.reasonOf(result.code),
    ...cut,
    queueEntriesCut,
    queueEntriesRebuilt: countEntries(queues) - before,
    indexEntriesKept,
    indexEntriesRebuilt: (options.index?.entryCountTotal ?? 0) - indexEntriesKept
  }
}

interface LogLimit {
  /** What begins at or behind this position was refused. */
  readonly position: number
  /** Bytes of whole records there. */
  readonly refusedBytes: number
}

/**
 * Where the log ends, if an earlier process has left a failed write. Where newer records stand there, somebody has taken
 * the remains for stored, or written over them: they are a part of the log.
 */
function* limitOf(commitLog: CommitLog): Generator<number, LogLimit> {
  const { remains } = commitLog
  if (remains === undefined) {
    return NO_LIMIT
  }
  const { position, storeTimestamp } = remains
  const { end, lastStoreTimestamp } = yield* LogScan.scan(commitLog, position, NO_CRC, () => undefined)
  return lastStoreTimestamp <= storeTimestamp ? { position, refusedBytes: end - position } : NO_LIMIT
}

const NO_LIMIT: LogLimit = { position: Number.POSITIVE_INFINITY, refusedBytes: 0 }

/** Ends the log where the scan has found its end. */
const cutTail = (
  { commitLog, isCleanExit }: RecoveryOptions,
  { code, end, stoppedAt }: LogScan.LogScanResult,
  { position, refusedBytes }: LogLimit
): Pick<RecoveryReport, "tornBytes" | "refusedBytes" | "logFilesRemoved"> => {
  const { files } = commitLog.files
  const fileCount = files.length
  const isRefused = stoppedAt === position
  const tornBytes = !isRefused && isTorn(code) ? tornLength(commitLog, stoppedAt) : 0
  if (fileCount > 0 && (!isCleanExit || isRefused || code !== RecordCheck.ZERO)) {
    Truncation.cutLog(commitLog, end)
  } else {
    commitLog.files.truncate(end)
  }
  commitLog.forgetRemains()
  return { tornBytes, refusedBytes, logFilesRemoved: fileCount - files.length }
}

interface Redispatch {
  readonly from: number
  /** From where on queues may lack something; at `from` or behind it. */
  readonly queuesFrom: number
  readonly reason: string
}

/**
 * From where on the log has to be dispatched again, and why. What was read and stands in its queue already is left out:
 * after a kill that is nearly all of it.
 */
function* planDispatch(
  options: RecoveryOptions,
  seen: TailSummary,
  readFrom: number,
  lackedFrom: number,
  end: number
): Generator<number, Redispatch> {
  const { commitLog } = options
  // A queue that lacks what stood before the part that was read has lost a file or more: then the whole log counts.
  const isWhole = seen.isPreceded() && (yield* hasOlderQueues(options, readFrom))
  const isForOthers = options.hasOtherDispatchers && !options.isCleanExit
  const queuesFrom = isWhole ? Math.min(isForOthers ? readFrom : lackedFrom, end) : commitLog.minOffset
  const from = Math.min(queuesFrom, yield* indexStart(options, seen, end))
  if (from >= end) {
    return { from, queuesFrom, reason: NOT_DISPATCHED }
  }
  if (!isWhole) {
    return { from, queuesFrom, reason: "a queue lacks what stood before the part that was read" }
  }
  if (from < queuesFrom) {
    return { from, queuesFrom, reason: "the index ends there, or nothing behind can be relied on" }
  }
  const reason = from > readFrom ? "a queue ends there" : "queues may lack something of all that was read"
  return { from, queuesFrom, reason }
}

const isTorn = (code: number): boolean => code < 0 && code !== RecordCheck.ZERO && code !== RecordCheck.NO_ROOM

/** How far the unfinished bytes at the end reach: up to what their length says, within the file. */
const tornLength = (commitLog: CommitLog, position: number): number => {
  const file = commitLog.files.find(position)
  if (file === undefined) {
    return 0
  }
  const offset = position - file.fromOffset
  if (file.length - offset < RecordDescriptor.BLANK_LENGTH_MIN) {
    return file.length - offset
  }
  const { base, view } = file.read(offset, RecordDescriptor.BLANK_LENGTH_MIN)
  const claimed = view.getInt32(offset - base + RecordDescriptor.TOTAL_SIZE_OFFSET)
  return Math.min(file.length - offset, Math.max(0, claimed))
}

const refuseDamage = (options: RecoveryOptions, result: LogScan.LogScanResult): void => {
  const { checkpoint, commitLog, queues } = options
  const file = commitLog.files.find(result.stoppedAt)
  if (file === undefined || result.code >= 0) {
    return
  }
  const bounds = DamageCheck.boundsOf(checkpoint.physicMsgTimestamp, options)
  const { lastStoreTimestamp, stoppedAt } = result
  const validBehind = DamageCheck.validBehind(stoppedAt, { commitLog, queues, ...bounds, lastStoreTimestamp })
  if (validBehind >= 0) {
    throw new DamagedLog(result.stoppedAt, file.file.path, validBehind, RecordCheck.reasonOf(result.code))
  }
}

/**
 * Start of what has to be read of a queue: its last files, and those before them whose records come from where not all
 * was flushed.
 */
const lastFilesStart = ({ queue }: QueueState, flushedTo: number): number => {
  const { files } = queue.files
  let index = Math.max(0, files.length - QUEUE_FILES_READ)
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  const isFlushed = (slot: number): boolean =>
    queue.readSlot(slot, entry) && isWritten(entry) && !isFiller(entry) && entry.position < flushedTo
  while (index > 0 && !isFlushed(files[index]!.fromOffset / queue.entryLength)) {
    index--
  }
  return files[index]?.fromOffset ?? 0
}

/** Reads the entries of the last files of a queue up to the first that was never written. */
const findQueueEnd = (state: QueueState, flushedTo: number): void => {
  const { queue } = state
  if (queue.files.files.length === 0) {
    return
  }
  queue.truncate(queue.findEnd(lastFilesStart(state, flushedTo) / queue.entryLength))
  state.nextOffset = queue.maxOffset
}

const countEntries = (queues: QueueTable): number => {
  let count = 0
  for (const state of queues.all()) {
    count += state.queue.endSlot
  }
  return count
}

/** Whether the queues of the part of the log that was not read are there. */
function* hasOlderQueues(options: RecoveryOptions, readFrom: number): Generator<number, boolean> {
  const { commitLog, listedQueues, queues } = options
  if (listedQueues() !== "unknown" || readFrom - commitLog.minOffset > UNLISTED_LENGTH_MAX) {
    return listedQueues() !== "incomplete"
  }
  const seen = new TailSummary(queues, false)
  yield* readTo(options, commitLog.minOffset, readFrom, readFrom, (record, position) => seen.note(record, position))
  return seen.isHeld()
}

const recordAt = (commitLog: CommitLog, position: number): RecordCursor | undefined => {
  const cursor = new RecordCursor()
  const file = commitLog.files.find(position)
  const isThere = file !== undefined && RecordReader.read(file, position - file.fromOffset, cursor, NO_CRC) > 0
  return isThere ? cursor : undefined
}

/** Reads a part of the log that was found to be good from `goodFrom` on. What cannot be read before that is damage. */
function* readTo(
  { commitLog, queues }: Pick<RecoveryOptions, "commitLog" | "queues">,
  start: number,
  end: number,
  goodFrom: number,
  visit: LogScan.Visit
): Generator<number, void> {
  const scan = LogScan.scan(commitLog, start, NO_CRC, visit, {
    limit: end,
    problemOf: (record) => QueueOffset.problemOf(queues, record)
  })
  let step = scan.next()
  while (step.done !== true && step.value < end) {
    yield step.value
    step = scan.next()
  }
  if (step.done === true && step.value.stoppedAt < end) {
    const { code, stoppedAt } = step.value
    const path = commitLog.files.find(stoppedAt)?.file.path ?? "no file"
    throw new DamagedLog(stoppedAt, path, goodFrom, RecordCheck.reasonOf(code))
  }
}

/**
 * Opens the index and says from where the log must be dispatched to it. After a crash that is where the part ends that
 * was on the device; after a clean exit only a file that is gone makes it incomplete, or a key at the end of the log that
 * it does not know.
 */
function* indexStart(options: RecoveryOptions, seen: TailSummary, end: number): Generator<number, number> {
  const { checkpoint, commitLog, index, isCacheKept, isCleanExit, listedIndex } = options
  if (index === undefined) {
    return end
  }
  const flushed = checkpoint.indexMsgTimestamp - 1
  const durable = isCacheKept ? Number.POSITIVE_INFINITY : flushed
  const indexedThrough = index.load({
    minPosition: commitLog.minOffset,
    maxPosition: end,
    durableTimestamp: durable,
    flushedTimestamp: flushed,
    isRecord: (at) => recordAt(commitLog, at) !== undefined,
    listed: isCleanExit ? listedIndex() : []
  })
  if (!isCleanExit) {
    yield* index.rewriteBehind(flushed)
  }
  if (isCleanExit && !index.hasLost && seen.lastKeyedPosition <= indexedThrough) {
    return end
  }
  // What is made anew is on no device yet, whatever the checkpoint says of what stood there before.
  checkpoint.indexMsgTimestamp = Math.min(checkpoint.indexMsgTimestamp, index.endTimestamp)
  checkpoint.flush()
  return Math.max(commitLog.minOffset, indexedThrough)
}

/**
 * What is made anew is on no device yet, whatever was said of what stood there before. Without this a loss of power would
 * leave any part of it behind, to be believed by the next opening after a clean end.
 */
const leaveWord = (options: RecoveryOptions, queuesFrom: number, end: number): void => {
  const { checkpoint, commitLog, isCleanExit, onRebuild } = options
  if (isCleanExit) {
    onRebuild()
  }
  const isReadAgain = queuesFrom >= RecoveryStart.afterCrash(commitLog, checkpoint.minTimestamp)
  if (queuesFrom < end && !isReadAgain) {
    const flushed = recordAt(commitLog, queuesFrom)?.storeTimestamp ?? 0
    checkpoint.logicsMsgTimestamp = Math.min(checkpoint.logicsMsgTimestamp, flushed)
    checkpoint.flush()
  }
}

/** Dispatches what the queues may lack. What they have already is left alone. */
function* dispatchAgain(
  options: RecoveryOptions,
  { from, queuesFrom }: Redispatch,
  end: number,
  goodFrom: number
): Generator<number, void> {
  const { dispatchers, queues } = options
  if (from >= end) {
    return
  }
  leaveWord(options, queuesFrom, end)
  const visit = (record: RecordCursor, position: number): void => {
    for (const dispatcher of dispatchers) {
      dispatcher.dispatch(record, position)
    }
  }
  yield* readTo(options, from, end, goodFrom, visit)
  for (const state of queues.all()) {
    state.nextOffset = Math.max(state.nextOffset, state.queue.maxOffset)
  }
}

/** The first entry whose record is still kept. All of a queue's records gone means that it is empty: min equals max. */
export const correctMinOffset = ({ queue }: QueueState, minPosition: number): void => {
  const { endSlot, firstSlot } = queue
  queue.minOffset = queue.offsetOf(
    QueueSearch.first(queue, firstSlot, endSlot, ({ position }) => position >= minPosition)
  )
}
